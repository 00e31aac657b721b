import { describe, expect, it } from 'vitest'
import { fieldOf, fieldsOf, table, typeOf } from './jetton-v2-table.ts'
import {
  componentSchemas,
  type Json,
  methodsOf,
  type Operation,
  operationsOf,
  resolved,
  specification,
  validatorsOf,
} from './specifications.ts'

const document = specification('jetton-v2')
const rpc = specification('jetton-v2-rpc')
const components = componentSchemas(document)
const operations = operationsOf(document)
const methods = methodsOf(rpc)

function operationNamed(id: string): Operation {
  const found = operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`no operation ${id}`)
  return found
}

function contentOf(holder: unknown): Json {
  const { content } = resolved(document, holder) as { content: Record<string, { schema: Json }> }
  expect(Object.keys(content)).toEqual(['application/json'])
  return content['application/json']?.schema ?? {}
}

const envelope = { ok: { type: 'boolean', const: true }, '@extra': { type: 'string', optional: true } }

function resultOf({ responses }: Operation): Json {
  const schema = contentOf(responses['200'])
  if (!('properties' in schema)) return schema
  const { result, ...others } = fieldsOf(schema)
  expect(others).toEqual(envelope)
  expect(result?.optional).toBeUndefined()
  return (schema['properties'] as Record<string, Json>)['result'] ?? {}
}

const entries = Object.entries(table.operations).map(([name, operation]) => ({ name, ...operation }))
const posted = (name: string) => operationNamed(table.operations[name]?.parameters ? `${name}ByPost` : name)

describe('the operations of TON, family v2', () => {
  it('are those of the table and JSON-RPC', () => {
    const expected = entries.flatMap(({ name, verbs }) => verbs.map((verb) => `${verb} /api/v2/${name}`))
    const actual = operations.map(({ verb, path }) => `${verb} ${path}`)
    expect(actual.toSorted()).toEqual([...expected, 'post /api/v2/jsonRPC'].toSorted())
  })

  it.each(entries)('$name has the parameters of the table', ({ name, parameters }) => {
    if (!parameters) return
    const { parameters: described } = operationNamed(name)
    for (const parameter of described) expect(parameter['in']).toBe('query')
    const actual = described.map((parameter) => [
      parameter['name'],
      fieldOf(parameter['schema'] as Json, parameter['required'] === true),
    ])
    expect(Object.fromEntries(actual)).toEqual(parameters)
  })

  it.each(entries)('$name has the body of the table', ({ name, body }) => {
    const { requestBody } = posted(name).operation
    expect(requestBody).toMatchObject({ required: true })
    expect(contentOf(requestBody)).toEqual({ $ref: `#/components/schemas/${body}` })
  })

  it.each(entries)(
    '$name returns the result of the table, in the envelope except for a parameter',
    ({ name, verbs, result }) => {
      const forms = verbs.length > 1 ? [operationNamed(name), posted(name)] : [posted(name)]
      for (const form of forms) {
        expect(typeOf(resultOf(form))).toBe(result)
        expect('properties' in contentOf(form.responses['200'])).toBe(name !== 'getConfigParam')
      }
    },
  )

  it('list their errors', () => {
    const always = ['200', '401', '403', '404', '408', '422', '429', '431', '500', '502', '503', '504', '508']
    const run = ['533', '542']
    const extraStatuses: Readonly<Record<string, readonly string[]>> = {
      dnsResolve: ['501'],
      getTokenData: ['409'],
      getMasterchainBlockSignatures: ['501'],
      getShardBlockProof: ['501'],
      runGetMethod: run,
      runGetMethodStd: run,
      callJsonRpc: ['409', '501', ...run],
    }
    for (const { id, verb, responses } of operations) {
      const extra = extraStatuses[id.replace(/ByPost$/, '')] ?? []
      const expected = [...always, ...extra, ...(verb === 'post' ? ['400', '413', '415'] : [])]
      expect(Object.keys(responses), id).toEqual(expected.toSorted())
    }
  })
})

const cell = 'te6cckEBAQEAAgAAAEysuc0='

describe('the JSON-RPC methods of TON', () => {
  it('are the operations of the table', () => {
    expect(methods.map(({ name }) => name).toSorted()).toEqual(Object.keys(table.operations).toSorted())
  })

  it.each(entries)('$name accepts the params of its POST form', ({ name, body }) => {
    const method = methods.find((candidate) => candidate.name === name)
    const { required = [], properties = {} } = components[body] as {
      required?: readonly string[]
      properties?: Record<string, Json>
    }
    const actual = method?.params.map(({ name: key, required: isRequired, schema }) => [
      key,
      isRequired === true,
      withoutProse(schema),
    ])
    const expected = Object.entries(properties).map(([key, schema]) => [
      key,
      required.includes(key),
      withoutProse(schema),
    ])
    expect(new Map(actual?.map(([key, ...facts]) => [key, facts]))).toEqual(
      new Map(expected.map(([key, ...facts]) => [key, facts])),
    )
    expect(method?.paramStructure).toBe('by-name')
  })

  it.each(entries)('$name returns what the operation returns', ({ name }) => {
    const result = methods.find((candidate) => candidate.name === name)?.result.schema ?? {}
    const schema = { $ref: '#/components/schemas/JsonRpcConfigParam' }
    expect(withoutProse(result)).toEqual(
      name === 'getConfigParam' ? schema : withoutProse(resultOf(posted(name))),
    )
  })

  it('have the types of the operations', () => {
    for (const [name, schema] of Object.entries(componentSchemas(rpc)))
      if (name !== 'JsonRpcConfigParam') expect(schema, name).toEqual(components[name])
  })

  it('return a configuration parameter decoded, and as the cells that clients decode', () => {
    const validate = validatorsOf(rpc)({ $ref: '#/components/schemas/JsonRpcConfigParam' })
    const decoded = { config_id: 15, value: {} }
    const cells = { '@type': 'configInfo', config: { '@type': 'tvm.cell', bytes: cell } }
    expect(validate(decoded)).toBe(true)
    expect(validate({ ...decoded, ...cells })).toBe(true)
    expect(validate(cells)).toBe(false)
    expect(validate({ ...decoded, ...cells, config: cell })).toBe(false)
  })
})

function withoutProse(schema: Json): Json {
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== 'description' && key !== 'examples'),
  )
}
