import { schemas } from '@fairlead/platform-client/contract'
import { canary, SchemaValues, arbitraryText } from '@fairlead/vitest/arbitrary-value'
import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { allScopes } from '@fairlead/platform-server/identity/scopes'
import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { operationIds, routeTable } from './contract-violations.ts'
import type { Caller } from './caller.ts'
import type { SeedIds } from './seed-data.ts'
import type { WireRequest } from './http-exchange.ts'
import { kindOf } from './object-kinds.ts'
import { randomAddress } from './test-environment.ts'

/** A valid or nearly valid request of an operation. */
export interface GeneratedRequest {
  readonly id: OperationId
  readonly request: WireRequest
}

/** The values from which requests are generated. */
export interface RequestMaterial {
  readonly callers: readonly Caller[]
  /** Objects of the caller's organization and of another one. */
  readonly idSets: readonly SeedIds[]
  /** A URL that webhooks may use. */
  readonly hook: string
}

const schemaValues = new SchemaValues(schemas)

const malformedEscapes = [
  '%',
  '%2',
  '%zz',
  '%00',
  '%ff%fe',
  '%ED%A0%80',
  '%C0%AF',
  '&&==&',
  'page=1&page=2',
  'page=%31',
  'page=+1',
  'page=1e3',
  'page=0x1',
  'page_size=1.0',
  'page=99999999999999999999',
  '__proto__=1',
  'constructor[prototype]=1',
  'a[]=1&a[0]=2',
  `token=${canary}`,
  ';;;',
]

/** Generates arbitrary wire requests that more or less resemble a request of some operation. */
export function arbitraryRequest(material: RequestMaterial): Arbitrary<GeneratedRequest> {
  return fc.constantFrom(...operationIds).chain((id) => {
    const { method } = routeTable[id]
    return fc
      .record({
        path: arbitraryPath(id, material),
        query: arbitraryQuery(id, material),
        body: method === 'GET' ? fc.constant(undefined) : arbitraryBody(id, material),
        caller: fc.constantFrom(...material.callers),
        headers: arbitraryHeaders,
      })
      .map(({ path, query, body, caller, headers }) => {
        const target = query === '' ? path : `${path}?${query}`
        const about = { 'x-forwarded-for': randomAddress(), 'x-forwarded-proto': 'https', ...caller }
        const typed = body === undefined ? {} : { 'content-type': 'application/json' }
        return { id, request: { method, target, headers: { ...about, ...typed, ...headers }, body } }
      })
  })
}

/** Returns the callers of the requests, mostly those with all scopes. */
export function callersOf(full: readonly Caller[], limited: readonly Caller[]): readonly Caller[] {
  const invalid = [{}, { authorization: `Bearer ${canary}` }, { cookie: `__Host-fairlead_session=${canary}` }]
  return [...full, ...full, ...full, ...limited, ...invalid]
}

function arbitraryPath(id: OperationId, { idSets }: RequestMaterial): Arbitrary<string> {
  const { path: template, pathParameters } = routeTable[id]
  const names = Object.keys(pathParameters)
  const values = names.map((name) => {
    const kind = kindOf(id, name)
    if (kind === undefined) throw new Error(`What ${name} of ${template} is, is not known.`)
    return arbitraryId(kind, idSets)
  })
  return fc
    .tuple(...values)
    .map((chosen) =>
      names.reduce((path, name, at) => path.replace(`{${name}}`, escaped(chosen[at] ?? '')), template),
    )
}

function arbitraryId(kind: keyof SeedIds, idSets: readonly SeedIds[]): Arbitrary<string> {
  const [ownIds] = idSets
  const existing = idSets.map((ids) => ids[kind])
  const missing = `${(ownIds?.[kind] ?? '').slice(0, 3)}000-000-000`
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(ownIds?.[kind] ?? '') },
    { weight: 2, arbitrary: fc.constantFrom(...existing, missing) },
    { weight: 1, arbitrary: arbitraryText.map((text) => text.slice(0, 2_000)) },
  )
}

function arbitraryQuery(id: OperationId, { idSets }: RequestMaterial): Arbitrary<string> {
  const parameters = Object.entries(routeTable[id].query).map(([name, { schema }]) => {
    const kind = kindOf(id, name)
    const valid = kind === undefined ? schemaValues.valid(schema) : arbitraryId(kind, idSets)
    const value = fc.oneof({ weight: 3, arbitrary: valid }, { weight: 1, arbitrary: arbitraryText })
    const text = value.map((item) => `${name}=${escaped(String(item).slice(0, 1_000))}`)
    return fc.option(text, { nil: '' })
  })
  return fc
    .tuple(fc.tuple(...parameters), fc.option(fc.constantFrom(...malformedEscapes), { nil: '', freq: 3 }))
    .map(([valid, extra]) => [...valid, extra].filter((part) => part !== '').join('&'))
}

function arbitraryBody(id: OperationId, { idSets, hook }: RequestMaterial): Arbitrary<string | undefined> {
  const schema = routeTable[id].requestBody?.schema ?? { type: 'object' }
  const texts = {
    project: arbitraryId('project', idSets),
    scopes: fc.subarray([...allScopes], { minLength: 1 }),
    url: fc.oneof(fc.constant(hook), arbitraryText),
    option: fc.constantFrom('own-ethereum', 'own-jetton', 'evm', 'none'),
    value: fc.constantFrom(
      'https://app.example',
      '*.app.example',
      '192.0.2.0/24',
      '::/0',
      'eth_*',
      'x y',
      '0.0.0.0/33',
    ),
    evm: fc.oneof(
      fc.constantFrom('http://127.0.0.1:9', `http://${canary}@127.0.0.1:9/${canary}#weight=3`),
      arbitraryText,
    ),
    email: fc.oneof(fc.constant(`${canary}@example.test`), fc.emailAddress(), arbitraryText),
  }
  const nested = fc.constantFrom(10, 1_000, 100_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth))
  return fc.oneof(
    { weight: 6, arbitrary: schemaValues.valid(schema, texts).map((value) => JSON.stringify(value)) },
    { weight: 5, arbitrary: schemaValues.broken(schema, texts).map((value) => JSON.stringify(value)) },
    {
      weight: 1,
      arbitrary: fc.oneof(
        fc.constantFrom(
          '',
          '{',
          'null',
          '\u0000',
          '{"name":1e999}',
          '{"__proto__":{"name":"x"}}',
          '{"name":"a","name":1}',
        ),
        fc
          .tuple(fc.constantFrom(...Object.keys(texts), 'name'), nested)
          .map(([name, value]) => `{"${name}":${value}}`),
        arbitraryText,
      ),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}

const headerText = fc
  .string({ unit: fc.constantFrom(...Array.from('abc019"*,;=/ -_')), maxLength: 40 })
  .map((text) => text.trim())

const arbitraryHeaders: Arbitrary<Readonly<Record<string, string>>> = fc
  .record(
    {
      'if-match': fc.oneof(fc.constantFrom('*', '"1"', '"2", "3"', 'W/"1"', '"999999999999"'), headerText),
      'content-type': fc.oneof(
        { weight: 5, arbitrary: fc.constant('application/json; charset=utf-8') },
        {
          weight: 1,
          arbitrary: fc.oneof(fc.constantFrom('text/plain', 'application/json;;', '/'), headerText),
        },
      ),
      accept: headerText,
      origin: fc.constantFrom('null', 'https://evil.example', 'https://fairlead.example.test', ':'),
      'sec-fetch-site': fc.constantFrom('same-origin', 'cross-site', 'none', 'x'),
      'x-csrf-token': fc.oneof(fc.constant(canary), headerText),
      'user-agent': fc.oneof(fc.constant('x'.repeat(3_000)), headerText),
      'x-http-method-override': fc.constant('DELETE'),
      host: fc.constantFrom('fairlead.example.test', 'evil.example/x', '[::1]:1', '?', 'a b'),
    },
    { requiredKeys: [] },
  )
  // Most requests have none of these headers, because otherwise the first one would determine the outcome of nearly all
  // of them.
  .chain((headers) => fc.constantFrom({}, {}, {}, headers))

// An unpaired surrogate cannot be encoded in UTF-8.
function escaped(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))
}
