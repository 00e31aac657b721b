import { routes as beacon } from '@fairlead/beacon/contract'
import { methods as evm } from '@fairlead/evm-rpc/contract'
import { v2, v2Rpc, v3 } from '@fairlead/jetton/contract'
import { routes as platform } from '@fairlead/platform-client/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { readDocuments } from '../../../reference-data/documents.ts'
import { describeSchema } from '../schema/describe-schema.ts'
import { exampleOf } from '../schema/example-of.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { ReferenceDocument } from './document.ts'
import type { Operation } from './operation.ts'
import { type Reference, readDocument } from './read-document.ts'

let documents: readonly ReferenceDocument[]
let references: readonly Reference[]
beforeAll(async () => {
  documents = await readDocuments()
  references = documents.map(readDocument)
})

function reference(name: string): Reference {
  const found = references.find((candidate) => candidate.name === name)
  if (!found) throw new Error(`no document ${name}`)
  return found
}

function operationOf(document: string, id: string): Operation {
  const found = reference(document).operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`no operation ${id}`)
  return found
}

function schemasOf(operation: Operation): readonly JsonSchema[] {
  if (operation.kind === 'grpc') return [operation.request.schema, operation.response.schema]
  if (operation.kind === 'rpc') {
    const { params, result, overloads, subscriptions } = operation
    return [
      ...[...params, result, ...overloads].map(({ schema }) => schema),
      ...subscriptions.flatMap(({ options, notification }) =>
        options ? [options, notification] : [notification],
      ),
    ]
  }
  const { parameters, body, responses } = operation
  const contents = [...(body?.contents ?? []), ...responses.flatMap((response) => response.contents)]
  const headers = responses.flatMap((response) => response.headers)
  return [...parameters, ...headers, ...contents].flatMap(({ schema }) => schema ?? [])
}

describe('the documents of the specifications', () => {
  it.each([
    ['platform', Object.keys(platform)],
    ['evm', Object.keys(evm)],
    ['beacon', Object.keys(beacon)],
    ['jetton-v2', Object.keys(v2.routes)],
    ['jetton-v2-rpc', Object.keys(v2Rpc.methods)],
    ['jetton-v3', Object.keys(v3.routes)],
  ])('contain every operation of %s', (name, ids) => {
    const loadedIds = reference(name).operations.map(({ id }) => id)
    expect(loadedIds.toSorted()).toEqual(ids.toSorted())
  })

  it('resolve every schema of every operation', () => {
    for (const { operations, schemas } of references) {
      const named = Object.values(schemas)
      for (const schema of [...named, ...operations.flatMap(schemasOf)]) {
        const { parts } = describeSchema(schema, schemas)
        for (const part of parts) describeSchema(part.schema, schemas)
        exampleOf(schema, schemas)
      }
      expect(operations.every(({ name, summary, group }) => name && summary && group)).toBe(true)
    }
  })

  it('contain no unreferenced schema', () => {
    for (const { kind, content } of documents.filter((document) => document.kind !== 'proto')) {
      const text = JSON.stringify(content)
      const { schemas } = readDocument({ name: '', family: '', kind, content })
      const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
      expect(unused).toEqual([])
    }
  })
})

describe('an operation', () => {
  it('of the platform has scopes, parameters and responses', () => {
    const operation = operationOf('platform', 'listProjects')
    expect(operation).toMatchObject({
      kind: 'rest',
      method: 'GET',
      path: '/v2/projects/',
      scopes: ['projects:read'],
    })
    if (operation.kind !== 'rest') return
    expect(operation.parameters.map(({ name }) => name)).toContain('page')
    expect(operation.responses.map(({ status }) => status)).toEqual(
      expect.arrayContaining(['200', '401', '429']),
    )
    expect(operation.responses[0]?.contents[0]?.examples.length).toBeGreaterThan(0)
  })

  it('of JSON-RPC has errors, examples and its availability', () => {
    const operation = operationOf('evm', 'eth_getBalance')
    expect(operation).toMatchObject({
      kind: 'rpc',
      isByName: false,
      transports: ['http', 'websocket'],
      availability: expect.arrayContaining(['geth']) as string[],
      errors: expect.arrayContaining([{ code: -32601, message: 'Method not found' }]) as unknown[],
    })
    expect(operationOf('evm', 'eth_subscribe')).toMatchObject({ transports: ['websocket'] })
    expect(operationOf('jetton-v2-rpc', 'detectAddress')).toMatchObject({ isByName: true })
  })

  it('of gRPC has its comments and commented fields', () => {
    const operation = operationOf('grpc', 'geyser.Geyser/Subscribe')
    expect(operation).toMatchObject({
      kind: 'grpc',
      summary: 'Streams updates that match the latest request.',
      request: { isStream: true },
      response: { isStream: true },
    })
    const { schemas } = reference('grpc')
    const request = describeSchema({ $ref: '#/components/schemas/geyser.SubscribeRequest' }, schemas)
    const field = (name: string) => request.parts.find((part) => part.name === name)?.schema ?? {}
    expect(describeSchema(field('slots'), schemas).type).toBe('map by string of message')
    expect(describeSchema(field('accounts_data_slice'), schemas)).toMatchObject({
      type: 'array of message',
      description: expect.stringContaining('Slices of the account data') as string,
    })
    const level = describeSchema(field('commitment'), schemas)
    expect([level.type, level.parts.map(({ name }) => name)]).toEqual([
      'enum',
      ['"PROCESSED"', '"CONFIRMED"', '"FINALIZED"'],
    ])
    const update = describeSchema({ $ref: '#/components/schemas/geyser.SubscribeUpdate' }, schemas)
    const account = update.parts.find(({ name }) => name === 'account')
    expect(account?.schema).toMatchObject({ 'x-oneof': 'update_oneof', 'x-number': 2 })
    expect(update.parts[0]?.schema).not.toHaveProperty('x-oneof')
  })
})
