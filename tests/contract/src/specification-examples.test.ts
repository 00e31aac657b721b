import type { ValidateFunction } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import {
  componentSchemas,
  type Json,
  methodsOf,
  operationsOf,
  type RpcExample,
  type RpcMethod,
  resolved,
  specifications,
  validatorsOf,
} from './specifications.ts'

const documents = specifications.map(({ name, kind, document }) => ({
  name,
  kind,
  document,
  compile: validatorsOf(document),
}))
const openapi = documents.filter(({ kind }) => kind === 'openapi')
const openrpc = documents.filter(({ kind }) => kind === 'openrpc')

function validationErrors(validate: ValidateFunction, value: unknown): readonly string[] {
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** The values of `example` and `examples`, as OpenAPI places them next to a schema. */
function examplesOf(document: Json, holder: Json): readonly unknown[] {
  const named = Object.values((holder['examples'] ?? {}) as Json).map(
    (item) => resolved(document, item)['value'],
  )
  return 'example' in holder ? [holder['example'], ...named] : named
}

/** Every example below a schema, with the schema that it belongs to. */
function schemaExamples(
  schema: unknown,
  path: string,
): readonly { path: string; schema: Json; value: unknown }[] {
  if (Array.isArray(schema)) return schema.flatMap((item, index) => schemaExamples(item, `${path}/${index}`))
  if (typeof schema !== 'object' || schema === null) return []
  const examples = (schema as Json)['examples']
  const values = Array.isArray(examples) ? examples : []
  return [
    ...values.map((value: unknown) => ({ path, schema: schema as Json, value })),
    ...Object.entries(schema).flatMap(([key, item]) =>
      key === 'examples' ? [] : schemaExamples(item, `${path}/${key}`),
    ),
  ]
}

describe.each(documents)('the schemas of $name', ({ document, compile }) => {
  const schemas = componentSchemas(document)

  it('compile, and contain no keyword that a validator ignores', () => {
    for (const schema of Object.values(schemas)) compile(schema)
  })

  it('have their key as title, because generated names derive from both', () => {
    expect(Object.values(schemas).map(({ title }) => title)).toEqual(Object.keys(schemas))
  })

  it('accept their examples', () => {
    for (const { path, schema, value } of schemaExamples(schemas, '')) {
      expect.soft(validationErrors(compile(schema), value), path).toEqual([])
    }
  })
})

describe('the names of operations and methods', () => {
  it.each(openapi)('are unique in $name', ({ document }) => {
    const ids = operationsOf(document).map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(0)
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted())
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+(V\d)?$/)
  })

  it.each(openrpc)('are unique in $name', ({ document }) => {
    const names = methodsOf(document).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(0)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  })
})

const operations = openapi.flatMap(({ name, document, compile }) =>
  operationsOf(document).map((operation) => ({
    document,
    compile,
    label: `${name} ${operation.id}`,
    ...operation,
  })),
)

describe.each(operations)(
  'the examples of $label',
  ({ document, compile, operation, parameters, responses }) => {
    it('match the parameters', () => {
      for (const parameter of parameters) {
        const values = examplesOf(document, parameter)
        expect.soft(values.length, `${String(parameter['name'])} has an example`).toBeGreaterThan(0)
        const validate = compile(parameter['schema'])
        for (const value of values)
          expect.soft(validationErrors(validate, value), String(parameter['name'])).toEqual([])
      }
    })

    it('match the request body', () => {
      if (!operation['requestBody']) return
      const media = describedMedia(resolved(document, operation['requestBody'])) ?? {}
      const values = examplesOf(document, media)
      expect(values.length).toBeGreaterThan(0)
      for (const value of values) expect.soft(validationErrors(compile(media['schema']), value)).toEqual([])
    })

    it('match the bodies of all responses', () => {
      for (const [status, response] of Object.entries(responses)) {
        const media = describedMedia(response)
        if (!media) continue
        const values = examplesOf(document, media)
        expect.soft(values.length, `${status} has an example`).toBeGreaterThan(0)
        const validate = compile(media['schema'])
        for (const value of values) expect.soft(validationErrors(validate, value), status).toEqual([])
      }
    })

    it('match the headers of all responses', () => {
      for (const [status, response] of Object.entries(responses)) {
        for (const [name, reference] of Object.entries((response['headers'] ?? {}) as Json)) {
          const header = resolved(document, reference)
          const values = examplesOf(document, header)
          expect.soft(values.length, `${status} ${name} has an example`).toBeGreaterThan(0)
          for (const value of values) {
            expect.soft(validationErrors(compile(header['schema']), value), `${status} ${name}`).toEqual([])
          }
        }
      }
    })
  },
)

/** The media type whose values a schema describes. Undefined without a body. */
function describedMedia(holder: Json): Json | undefined {
  const content = holder['content'] as Record<string, Json> | undefined
  if (!content) return undefined
  const media = content['application/json'] ?? content['text/event-stream'] ?? content['text/csv']
  if (!media) throw new Error(`no schema: ${Object.keys(content).join(', ')}`)
  return media
}

const methods = openrpc.flatMap(({ name, document, compile }) =>
  methodsOf(document).map((method) => ({ compile, label: `${name} ${method.name}`, method })),
)

describe.each(methods)('the examples of $label', ({ compile, method }) => {
  it('exist', () => {
    expect(method.examples.length).toBeGreaterThan(0)
  })

  it('list the parameters in order, including all required ones', () => {
    const names = method.params.map(({ name }) => name)
    for (const example of method.examples) {
      const paramNames = example.params.map(({ name }) => name)
      expect.soft(paramNames, example.name).toEqual(names.slice(0, paramNames.length))
      const missing = method.params.filter(
        ({ name, required }) => required === true && !paramNames.includes(name),
      )
      expect.soft(missing, example.name).toEqual([])
    }
  })

  it('match the parameters and the result', () => {
    const result = compile(method.result.schema)
    for (const example of method.examples) {
      for (const { name, value } of example.params) {
        const schema = method.params.find((param) => param.name === name)?.schema
        expect.soft(validationErrors(compile(schema), value), `${example.name}: ${name}`).toEqual([])
      }
      expect.soft(validationErrors(result, example.result.value), `${example.name}: result`).toEqual([])
    }
  })

  it('match the result schema that their parameters select', () => {
    for (const example of method.examples) {
      const overload = overloadOf(method, example)
      if (method['x-overloads']) expect.soft(overload, `${example.name} picks a form`).toBeDefined()
      if (overload)
        expect.soft(validationErrors(compile(overload), example.result.value), example.name).toEqual([])
    }
  })
})

function overloadOf(method: RpcMethod, { params }: RpcExample): Json | undefined {
  const values = Object.fromEntries(params.map(({ name, value }) => [name, value]))
  return method['x-overloads']?.find(({ when }) => matches(when, values))?.result
}

/** Whether a value has everything that a condition names. More specific conditions come first. */
function matches(condition: unknown, value: unknown): boolean {
  if (typeof condition !== 'object' || condition === null) return condition === value
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(condition).every(([key, part]) => matches(part, (value as Json)[key]))
}
