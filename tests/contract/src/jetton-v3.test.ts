import { describe, expect, it } from 'vitest'
import { components, document, fieldsOf, typeIn, notation, type Parameter, table } from './jetton-v3-table.ts'
import { type Json, operationsOf, resolved, validatorsOf } from './specifications.ts'

const compile = validatorsOf(document)
const described = operationsOf(document)

// The operations where this document differs from the table.

/** This operation has a different shape. */
const burns = '/api/v3/jetton/burns'

/** Parameters without which a request is rejected. */
const needed = ['/api/v3/adjacentTransactions hash', '/api/v3/pendingTransactions account']

/** Values that are never negative. */
const natural = ['seqno', 'mc_seqno', 'lt']

function expectedParameters(path: string, parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.map((parameter) => ({
    ...parameter,
    ...(natural.includes(parameter.name) && { minimum: 0 }),
    ...(needed.includes(`${path} ${parameter.name}`) && { required: true as const }),
  }))
}

/** A query parameter in the notation of the table. */
function parameterOf({ name, required, schema, style, explode }: Json, expected?: Parameter): Parameter {
  const holder = schema as Json
  const resolvedSchema = resolved(document, holder)
  const type = typeIn(holder, expected?.type)
  if (type.endsWith('[]')) expect([style, explode], String(name)).toEqual(['form', true])
  // A logical time is a string, as in responses.
  const isTime = resolvedSchema['type'] === 'string' && resolvedSchema['format'] === 'int64'
  const minimum =
    isTime && !compile(resolvedSchema)('-1') ? 0 : (resolvedSchema['minimum'] as number | undefined)
  return {
    name: String(name),
    type: isTime ? 'int64' : type.replace('boolean', 'bool'),
    ...(required === true && { required }),
    ...('default' in holder && { default: holder['default'] }),
    ...(minimum !== undefined && { minimum }),
    ...(resolvedSchema['maximum'] !== undefined && { maximum: resolvedSchema['maximum'] as number }),
    ...(resolvedSchema['enum'] !== undefined && { enum: resolvedSchema['enum'] as string[] }),
  }
}

function bodyOf(holder: unknown): Json {
  const content = (holder as Json)['content'] as Record<string, { schema: Json }>
  return content['application/json']?.schema ?? {}
}

it('matches the operations of the table', () => {
  const names = described.map(({ verb, path }) => `${verb} ${path}`)
  expect(names.toSorted()).toEqual(table.operations.map(({ method, path }) => `${method} ${path}`).toSorted())
})

describe.each(table.operations.filter(({ path }) => path !== burns))('$method $path', (entry) => {
  const match = described.find(({ verb, path }) => verb === entry.method && path === entry.path)
  const { operation = {}, parameters = [], responses = {} } = match ?? {}
  const parametersIn = (location: string) => parameters.filter((parameter) => parameter['in'] === location)

  it('has the parameters of the table', () => {
    const expected = expectedParameters(entry.path, entry.parameters)
    const actual = parametersIn('query').map((parameter) =>
      parameterOf(
        parameter,
        expected.find(({ name }) => name === parameter['name']),
      ),
    )
    expect(actual).toEqual(expected)
  })

  it('has the headers that change its response', () => {
    const fields = typeof table.types[entry.answer] === 'object' ? fieldsOf(entry.answer) : {}
    const supportsActionTypes = entry.parameters.some(({ name }) => name === 'supported_action_types')
    const expected = [
      'X-Timeout',
      ...('address_book' in fields ? ['X-No-Address-Book'] : []),
      ...('metadata' in fields ? ['X-No-Metadata'] : []),
      ...(supportsActionTypes ? ['X-Actions-Version'] : []),
    ]
    expect(parametersIn('header').map(({ name }) => name)).toEqual(expected)
    expect(parametersIn('header').some(({ required }) => required === true)).toBe(false)
  })

  it('has the parameter and result types of the table', () => {
    const { requestBody } = operation
    expect(requestBody && notation(bodyOf(requestBody))).toBe(entry.body)
    expect(notation(bodyOf(responses['200']))).toBe(entry.answer)
  })

  it('has the error statuses of every hosted node', () => {
    const hosted = ['401', '403', '404', '408', '422', '429', '431', '500', '502', '503', '504', '508']
    const actual = [
      ...(entry.body ? ['400', '413', '415'] : []),
      ...(entry.path.endsWith('/walletInformation') ? ['409'] : []),
      // An indexer need not support every kind of contract.
      ...(/\/(dns|vesting|nft|multisig)\b/.test(entry.path) ? ['501'] : []),
    ]
    const { 200: _, ...failures } = responses
    expect(Object.keys(failures)).toEqual([...hosted, ...actual].toSorted())
    for (const [status, failure] of Object.entries(failures)) {
      const isOfServer = status === '408' || status === '431'
      const { anyOf = [bodyOf(failure)] } = bodyOf(failure)
      expect((anyOf as readonly Json[]).map(notation), status).toEqual([
        ...(isOfServer ? ['HttpServerError'] : []),
        'JettonError',
      ])
    }
  })
})

describe('the identifiers in queries', () => {
  const hash = 'cJtVvT2g9ag4ElvQ7iDFv918q6FzkS1CgcroFreaIBs='
  const digits = '709b55bd3da0f5a838125bd0ee20c5bfdd7caba173912d4281cae816b79a201b'

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'AnyHash',
      [hash, hash.replaceAll('/', '_'), digits, digits.toUpperCase(), `0x${digits}`],
      ['', hash.slice(1), digits.slice(1), `0X${digits}`, `${hash}=`],
    ],
    [
      'AnyShard',
      ['8000000000000000', '0x8000000000000000', '-9223372036854775808'],
      ['', '0x', '-8f', '1'.repeat(20)],
    ],
    [
      'AnyOpcode',
      ['0x595f07bc', '595f07bc', '0x0', '-1', '1499400124'],
      ['', '0x', '0x1595f07bc', '-f', '1.5'],
    ],
  ])('accept every format of %s', (name, valid, invalid) => {
    const validate = compile(components[name])
    for (const value of valid) expect(validate(value), value).toBe(true)
    for (const value of invalid) expect(validate(value), value).toBe(false)
  })
})
