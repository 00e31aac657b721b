import * as beacon from '@fairlead/beacon/contract'
import type { JsonSchema, Method, Route } from '@fairlead/core'
import * as evm from '@fairlead/evm-rpc/contract'
import * as jetton from '@fairlead/jetton/contract'
import * as platform from '@fairlead/platform-client/contract'
import type { AnySchema } from 'ajv/dist/2020.js'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  componentSchemas,
  type Json,
  methodsOf,
  operationsOf,
  resolved,
  specification,
  specifications,
  strictAjv,
} from './specifications.ts'

interface Contract {
  readonly document: string
  readonly specVersion: string
  readonly schemas: Readonly<Record<string, unknown>>
}

const rest: readonly (Contract & { readonly routes: Readonly<Record<string, Route>> })[] = [
  platform,
  beacon,
  jetton.v2,
  jetton.v3,
]
const rpc: readonly (Contract & { readonly methods: Readonly<Record<string, Method>> })[] = [
  evm,
  jetton.v2Rpc,
]
const all: readonly Contract[] = [...rest, ...rpc]

function compilerOf({ document, schemas }: Contract) {
  const ajv = strictAjv()
  ajv.addSchema({ $id: document, components: { schemas } })
  return (schema: unknown) => ajv.compile(schema as AnySchema)
}

/** The examples of a media type or parameter. */
function examplesOf(document: Json, holder: Json): readonly unknown[] {
  const named = Object.values((holder['examples'] ?? {}) as Json).map(
    (item) => resolved(document, item)['value'],
  )
  return 'example' in holder ? [holder['example'], ...named] : named
}

it('covers every document of the specifications', () => {
  expect(all.map(({ document }) => document).toSorted()).toEqual(
    specifications.map(({ name }) => name).toSorted(),
  )
})

describe.each(all)('the contract of $document', (contract) => {
  const document = specification(contract.document)

  it('has the version and every schema of the specification', () => {
    expect(contract.specVersion).toBe((document['info'] as Json)['version'])
    expect(Object.keys(contract.schemas)).toEqual(Object.keys(componentSchemas(document)).toSorted())
  })

  it('compiles', () => {
    const compile = compilerOf(contract)
    for (const name of Object.keys(contract.schemas))
      compile({ $ref: `${contract.document}#/components/schemas/${name}` })
  })

  it('has no prose, only what a validator reads', () => {
    // Below `properties`, a key is a field name of the wire format, which may equal such a keyword.
    const prose = (value: unknown, isField: boolean): boolean =>
      typeof value === 'object' &&
      value !== null &&
      Object.entries(value).some(
        ([key, item]) =>
          (!isField && !Array.isArray(value) && /^(description|examples?|summary|x-.*)$/.test(key)) ||
          prose(item, !isField && key === 'properties'),
      )
    for (const [name, schema] of Object.entries(contract.schemas))
      expect(prose(schema, false), name).toBe(false)
  })
})

describe.each(rest)('the routes of $document', (contract) => {
  const document = specification(contract.document)
  const compile = compilerOf(contract)
  // A map may be empty, and so may an object whose fields are all optional.
  const mayBeEmpty = ({ $ref }: JsonSchema) => {
    const { type, required } = componentSchemas(document)[String($ref).split('/').at(-1) ?? ''] ?? {}
    return type === 'object' && required === undefined
  }

  it('are the operations of the specification', () => {
    const expected = operationsOf(document).map(({ id, verb, path }) => `${id} ${verb.toUpperCase()} ${path}`)
    const actual = Object.entries(contract.routes).map(([id, { method, path }]) => `${id} ${method} ${path}`)
    expect(actual.toSorted()).toEqual(expected.toSorted())
    for (const [id, { operationId }] of Object.entries(contract.routes)) expect(operationId).toBe(id)
  })

  it('accept the examples of the specification', () => {
    for (const { id, operation, parameters, responses } of operationsOf(document)) {
      const route = contract.routes[id]
      const expectedParameters = {
        path: route?.pathParameters ?? {},
        query: route?.query ?? {},
        header: route?.headers ?? {},
      }
      for (const [parameterLocation, expectedNames] of Object.entries(expectedParameters)) {
        const described = parameters.filter((parameter) => parameter['in'] === parameterLocation)
        const expected = described.map((parameter) => [parameter['name'], parameter['required'] === true])
        expect(Object.entries(expectedNames).map(([name, { required }]) => [name, required])).toEqual(
          expected,
        )
        for (const parameter of described) {
          const validate = compile(expectedNames[parameter['name'] as string]?.schema)
          for (const value of examplesOf(document, parameter)) expect(validate(value), id).toBe(true)
        }
      }
      const bodies: [unknown, Json][] = Object.entries(responses).map(([status, response]) => [
        route?.responses[status]?.schema,
        response,
      ])
      if (operation['requestBody'])
        bodies.push([route?.requestBody?.schema, resolved(document, operation['requestBody'])])
      for (const [schema, holder] of bodies) {
        const content = holder['content'] as Record<string, Json> | undefined
        const media = content?.['application/json'] ?? content?.['text/event-stream']
        expect(schema !== undefined, id).toBe(media !== undefined)
        if (!media) continue
        const validate = compile(schema)
        const values = examplesOf(document, media)
        expect(values.length).toBeGreaterThan(0)
        for (const value of values)
          expect(validate(value), `${id} ${JSON.stringify(validate.errors)}`).toBe(true)
      }
    }
  }, 60_000)

  it('reject a body that lacks a required field', () => {
    for (const { id } of operationsOf(document)) {
      const { responses } = contract.routes[id] ?? {}
      const schema = (responses?.['200'] ?? responses?.['201'])?.schema
      if (schema && !mayBeEmpty(schema)) expect(compile(schema)({}), id).toBe(false)
    }
  })
})

describe.each(rpc)('the methods of $document', (contract) => {
  const document = specification(contract.document)
  const compile = compilerOf(contract)

  it('are the methods of the specification, sorted by name', () => {
    expect(Object.keys(contract.methods)).toEqual(
      methodsOf(document)
        .map(({ name }) => name)
        .toSorted(),
    )
  })

  it('accept the examples of the specification', () => {
    for (const { name, params, examples, paramStructure } of methodsOf(document)) {
      const method = contract.methods[name]
      expect(method?.paramStructure).toBe(paramStructure)
      expect(method?.params.map((param) => [param.name, param.required])).toEqual(
        params.map((param) => [param.name, param.required === true]),
      )
      const result = compile(method?.result)
      for (const example of examples) {
        for (const [index, { value }] of example.params.entries()) {
          expect(compile(method?.params[index]?.schema)(value), `${name} ${example.name}`).toBe(true)
        }
        expect(result(example.result.value), `${name} ${example.name} ${JSON.stringify(result.errors)}`).toBe(
          true,
        )
      }
    }
  })
})

describe('the JSON-RPC methods as OpenAPI operations', () => {
  // Types come from a derived OpenAPI document, methods from the OpenRPC document. Both must contain the same names.
  it.each<[string, string]>([
    ['evm', 'packages/evm-rpc/src/generated/schema.ts'],
    ['jetton-v2-rpc', 'packages/jetton/src/generated/jetton-v2-rpc/schema.ts'],
  ])('are the methods of %s', (name, file) => {
    const text = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
    const paths = text.slice(0, text.indexOf('export type webhooks'))
    const derived = [...paths.matchAll(/^ {4}"\/(\w+)": \{$/gm)].map(([, path]) => path)
    expect(derived).toEqual(
      methodsOf(specification(name))
        .map((method) => method.name)
        .toSorted(),
    )
    const operations = [...text.matchAll(/post: operations\["(\w+)"\]/g)].map(([, id]) => id)
    expect(operations).toEqual(derived)
  })

  it('accept on TON exactly the parameter names of the endpoint', () => {
    const { properties } = componentSchemas(specification('jetton-v2'))['JsonRpcRequest'] as {
      properties: Record<string, Json>
    }
    const { const: only, enum: names } = properties['method'] ?? {}
    expect(names ?? [only]).toEqual(Object.keys(jetton.v2Rpc.methods))
  })
})
