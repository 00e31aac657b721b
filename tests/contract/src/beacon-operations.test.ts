import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Json, operationsOf, resolved, specification, validatorsOf } from './specifications.ts'

/** Bounds of a list. Omitted if the table has none. */
interface List {
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: true
}

/** Field names, and whether each is required. */
type Fields = Readonly<Record<string, boolean>>

/** The table entry of an operation. Types are sorted component names. */
interface Entry {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly status: 'release' | 'experimental'
  readonly deprecated: boolean
  readonly parameters: readonly {
    readonly in: 'path' | 'query' | 'header'
    readonly name: string
    readonly required: boolean
    readonly deprecated?: true
    readonly array?: List
    readonly types?: readonly string[]
  }[]
  readonly body: {
    readonly required: boolean
    readonly ssz: boolean
    readonly types: readonly string[]
    readonly array?: List
    readonly fields?: Fields
  } | null
  /** The body of status 200. Null if there is none. */
  readonly answer: {
    readonly mediaTypes: readonly string[]
    /** Whether the whole response is a list. */
    readonly list?: true
    readonly fields?: Fields
    /** Forks that `version` may name. */
    readonly versions?: readonly string[]
    /** The components of `data`, or of an event for an event stream. */
    readonly data?: readonly string[]
    readonly dataArray?: List
    readonly dataFields?: Fields
  } | null
  readonly answerHeaders: readonly string[]
  /** Whether the 400 response may list the rejected items. */
  readonly indexedErrors: boolean
  readonly statuses: readonly string[]
}

const { operations: table } = JSON.parse(
  readFileSync(new URL('../fixtures/beacon/operations.json', import.meta.url), 'utf8'),
) as { operations: readonly Entry[] }

const document = specification('beacon')
const described = operationsOf(document)

const json = 'application/json'
const ssz = 'application/octet-stream'
const events = 'text/event-stream'

function contentOf(holder: unknown): Readonly<Record<string, { schema: Json }>> {
  return (resolved(document, holder)['content'] ?? {}) as Record<string, { schema: Json }>
}

function nameOf(reference: unknown): string {
  return String(reference).replace(/^.*\//, '')
}

/** The components that a schema references, without following them. A constant references none. */
function typesOf(schema: unknown): readonly string[] {
  const names = (node: unknown): string[] => {
    if (typeof node !== 'object' || node === null) return []
    const reference = (node as Json)['$ref']
    return typeof reference === 'string' ? [nameOf(reference)] : Object.values(node).flatMap(names)
  }
  return [...new Set(names(schema))].toSorted()
}

/** The alternatives of a schema, each with the shared parts. A schema without alternatives is its only alternative. */
function formsOf(schema: Json): readonly Json[] {
  const { oneOf, anyOf, ...shared } = schema
  const forms = (oneOf ?? anyOf) as readonly Json[] | undefined
  if (!forms) return [schema]
  return forms.map((form) => ({
    ...shared,
    ...form,
    ...('properties' in form && {
      properties: { ...(shared['properties'] as Json), ...(form['properties'] as Json) },
      required: [...((shared['required'] ?? []) as string[]), ...((form['required'] ?? []) as string[])],
    }),
  }))
}

function fieldsOf(schema: Json | undefined): Fields {
  const required = (schema?.['required'] ?? []) as readonly string[]
  const names = new Set([...Object.keys(schema?.['properties'] ?? {}), ...required])
  return Object.fromEntries([...names].map((name) => [name, required.includes(name)]))
}

function listOf(schema: Json): List | undefined {
  if (schema['type'] !== 'array') return undefined
  const bounds = ['minItems', 'maxItems', 'uniqueItems'].filter((key) => key in schema)
  return Object.fromEntries(bounds.map((key) => [key, schema[key]]))
}

/** The items of a list, or the schema itself. */
function inside(schema: Json): Json {
  return schema['type'] === 'array' ? (schema['items'] as Json) : schema
}

/** The alternatives of the response envelope. */
function envelopesOf({ answer }: Entry, schema: Json): readonly Json[] {
  return formsOf(answer?.list ? inside(schema) : resolved(document, schema))
}

function dataOf(envelope: Json): Json {
  return (envelope['properties'] as Record<string, Json>)['data'] ?? {}
}

const forks = ['phase0', 'altair', 'bellatrix', 'capella', 'deneb', 'electra', 'fulu', 'gloas']

/** The index of the fork of a type, and the rest of the type name. */
function forkOf(type: string): { readonly fork: number; readonly kind: string } {
  const fork = forks.findIndex((name) => type.toLowerCase().startsWith(name))
  return { fork, kind: type.slice(forks[fork]?.length) }
}

it('matches the operations of the table', () => {
  const names = (list: readonly { readonly path: string }[], name: (item: never) => string) =>
    list.map((item) => name(item as never)).toSorted()
  expect(
    names(described, ({ id, verb, path }: (typeof described)[number]) => `${id} ${verb} ${path}`),
  ).toEqual(names(table, ({ operationId, method, path }: Entry) => `${operationId} ${method} ${path}`))
})

describe.each(table)('$operationId', (entry) => {
  const found = described.find(({ id }) => id === entry.operationId)
  if (!found) return
  const { operation, parameters, responses } = found
  const responseContent = contentOf(responses['200'])
  const schema = responseContent[json]?.schema

  it('has the tag, stability and age of the table', () => {
    expect(operation['tags']).toEqual([entry.tag])
    expect(operation['x-stability']).toBe(entry.status === 'experimental' ? 'experimental' : undefined)
    expect(operation['deprecated'] ?? false).toBe(entry.deprecated)
  })

  it('has the parameters of the table', () => {
    const actual = parameters.map((parameter) => {
      const resolvedSchema = parameter['schema'] as Json
      const array = listOf(resolvedSchema)
      const types = typesOf(resolvedSchema)
      // The format of identifiers is checked in the table of identifiers below.
      const typed = parameter['in'] !== 'path' && types.length > 0
      if (array) expect(parameter).toMatchObject({ style: 'form', explode: true })
      return {
        in: parameter['in'],
        name: parameter['name'],
        required: parameter['required'] === true,
        ...(parameter['deprecated'] === true && { deprecated: true }),
        ...(array && { array }),
        ...(typed && { types }),
      }
    })
    const byName = (a: { name: unknown }, b: { name: unknown }) =>
      String(a.name).localeCompare(String(b.name))
    expect(actual.toSorted(byName)).toEqual(entry.parameters.toSorted(byName))
  })

  it('has the request body of the table', () => {
    const { body } = entry
    expect('requestBody' in operation).toBe(body !== null)
    if (!body) return
    const requestContent = contentOf(operation['requestBody'])
    expect(Object.keys(requestContent)).toEqual(body.ssz ? [json, ssz] : [json])
    expect(resolved(document, operation['requestBody'])['required']).toBe(body.required)
    const bodySchema = requestContent[json]?.schema ?? {}
    expect(typesOf(bodySchema)).toEqual(body.types)
    for (const form of formsOf(bodySchema)) expect(listOf(form)).toEqual(body.array)
    if (body.fields) expect(fieldsOf(inside(bodySchema))).toEqual(body.fields)
  })

  it('has the response media types of the table', () => {
    expect(Object.keys(responseContent)).toEqual(entry.answer?.mediaTypes ?? [])
    for (const [mediaType, media] of Object.entries(responseContent)) {
      if (mediaType === ssz) expect(media.schema).toEqual({ type: 'string', format: 'binary' })
    }
  })

  it('has the response headers of the table', () => {
    const headers = Object.entries((responses['200']?.['headers'] ?? {}) as Json)
    expect(headers.map(([name]) => name).toSorted()).toEqual(entry.answerHeaders)
    for (const [name, header] of headers)
      expect(resolved(document, header), name).toMatchObject({ required: true })
  })

  it('has the response fields of the table', () => {
    const { answer: expected } = entry
    expect(schema !== undefined).toBe(expected?.fields !== undefined)
    if (!schema || !expected) return
    expect(schema['type'] === 'array').toBe(expected.list === true)
    for (const envelope of envelopesOf(entry, schema)) expect(fieldsOf(envelope)).toEqual(expected.fields)
  })

  it('has a response for each fork of the table', () => {
    const versions = entry.answer?.versions
    if (!schema || !versions) return
    const named = envelopesOf(entry, schema).map((envelope) => {
      return (envelope['properties'] as Record<string, Json>)['version']?.['const']
    })
    expect([...new Set(named)]).toEqual(versions)
  })

  it('has for each fork the latest type up to that fork', () => {
    if (!schema || !entry.answer?.data) return
    for (const envelope of envelopesOf(entry, schema)) {
      const properties = envelope['properties'] as Record<string, Json>
      const version = forks.findIndex((fork) => fork === properties['version']?.['const'])
      if (version < 0) continue
      for (const type of typesOf(properties['data'])) {
        const { fork, kind } = forkOf(type)
        const known = entry.answer.data.map(forkOf).filter((candidate) => candidate.kind === kind)
        const latest = Math.max(
          ...known
            .map((candidateFork) => candidateFork.fork)
            .filter((candidateFork) => candidateFork <= version),
        )
        expect(fork, `${type} in ${forks[version]}`).toBe(latest)
        const blinded = properties['execution_payload_blinded']?.['const']
        if (blinded !== undefined) expect(kind.startsWith('Blinded'), type).toBe(blinded)
      }
    }
  })

  it('has the response data of the table', () => {
    const { answer: expected } = entry
    if (!expected?.data) return
    if (!schema) return expect(typesOf(responseContent[events]?.schema)).toEqual(expected.data)
    const data = envelopesOf(entry, schema).map(dataOf)
    expect(typesOf(data)).toEqual(expected.data)
    for (const form of data) {
      expect(listOf(form)).toEqual(expected.dataArray)
      if (expected.dataFields) expect(fieldsOf(inside(form))).toEqual(expected.dataFields)
    }
  })

  it('has the statuses of the table and those of every hosted node', () => {
    const hosted = ['401', '403', '404', '408', '429', '431', '500', '501', '502', '503', '504', '508']
    const validated = entry.body !== null || entry.parameters.length > 0 ? ['400'] : []
    const negotiated = entry.answer ? ['406'] : []
    const bodyStatuses = entry.body ? ['413', '415'] : []
    const expected = new Set([...entry.statuses, ...hosted, ...validated, ...negotiated, ...bodyStatuses])
    expect(Object.keys(responses)).toEqual([...expected].toSorted())
    for (const [status, response] of Object.entries(responses)) {
      if (status === '200') continue
      const content = Object.entries(contentOf(response)).map(([key, media]) => [key, typesOf(media.schema)])
      const types = [
        ...(status === '400' && entry.indexedErrors ? ['IndexedError'] : []),
        ...(status === '408' || status === '431' ? ['HttpServerError'] : []),
        'BeaconError',
      ]
      expect(content, status).toEqual(status < '300' ? [] : [[json, types.toSorted()]])
    }
  })

  if (entry.indexedErrors) {
    it('describes a rejected item and a rejected request differently', () => {
      const rejected = contentOf(responses['400'])[json]?.schema
      const schemas = ['IndexedError', 'BeaconError']
      expect(rejected?.['anyOf']).toEqual(
        schemas.map((name) => ({ $ref: expect.stringMatching(new RegExp(`/${name}$`)) })),
      )
    })
  }
})

describe('the identifiers in paths and queries', () => {
  const compile = validatorsOf(document)
  const schemaOf = (id: string, name: string): Json => {
    const parameter = described
      .find((operation) => operation.id === id)
      ?.parameters.find((candidate) => candidate['name'] === name)
    if (!parameter) throw new Error(`${id} has no ${name}`)
    return parameter['schema'] as Json
  }
  const root = `0x${'0a'.repeat(32)}`
  const key = `0x${'0B'.repeat(48)}`
  const malformed = ['', 'Head', 'latest', '-1', '1.5', '01', '0x', '0x1', 'head ', `${root}00`, `x${root}`]

  it.each<[string, string, readonly unknown[], readonly unknown[]]>([
    [
      'getStateRoot',
      'state_id',
      ['head', 'genesis', 'finalized', 'justified', '0', '9639937', root],
      [...malformed, key],
    ],
    [
      'getBlockV2',
      'block_id',
      ['head', 'genesis', 'finalized', '0', '9639937', root],
      [...malformed, 'justified', key],
    ],
    ['getStateValidator', 'validator_id', ['0', '421337', key], [...malformed, 'head', root]],
    [
      'getStateValidators',
      'id',
      [[], ['0', key], Array.from({ length: 64 }, (_, index) => String(index))],
      [['1', '1'], [root], Array.from({ length: 65 }, (_, index) => String(index))],
    ],
    ['getStateValidators', 'status', [['active', 'pending_queued']], [['idle'], ['active', 'active']]],
    ['produceBlockV3', 'skip_randao_verification', [''], ['true']],
    ['getHealth', 'syncing_status', [100, 599], [99, 600, '200']],
  ])('%s accepts %s in the format of the interface', (id, name, valid, invalid) => {
    const validate = compile(schemaOf(id, name))
    for (const value of valid) expect(validate(value), JSON.stringify(value)).toBe(true)
    for (const value of invalid) expect(validate(value), JSON.stringify(value)).toBe(false)
  })
})
