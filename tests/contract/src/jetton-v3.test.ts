import { describe, expect, it } from 'vitest'
import { components, document, fieldsOf, found, notation, type Parameter, table } from './jetton-v3-table.ts'
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

function wantedParameters(path: string, parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.map((parameter) => ({
    ...parameter,
    ...(natural.includes(parameter.name) && { minimum: 0 }),
    ...(needed.includes(`${path} ${parameter.name}`) && { required: true as const }),
  }))
}

/** A query parameter in the notation of the table. */
function parameterOf({ name, required, schema, style, explode }: Json, wanted?: Parameter): Parameter {
  const holder = schema as Json
  const own = resolved(document, holder)
  const type = found(holder, wanted?.type)
  if (type.endsWith('[]')) expect([style, explode], String(name)).toEqual(['form', true])
  // A logical time is a string, as in responses.
  const isTime = own['type'] === 'string' && own['format'] === 'int64'
  const minimum = isTime && !compile(own)('-1') ? 0 : (own['minimum'] as number | undefined)
  return {
    name: String(name),
    type: isTime ? 'int64' : type.replace('boolean', 'bool'),
    ...(required === true && { required }),
    ...('default' in holder && { default: holder['default'] }),
    ...(minimum !== undefined && { minimum }),
    ...(own['maximum'] !== undefined && { maximum: own['maximum'] as number }),
    ...(own['enum'] !== undefined && { enum: own['enum'] as string[] }),
  }
}

function bodyOf(holder: unknown): Json {
  const content = (holder as Json)['content'] as Record<string, { schema: Json }>
  return content['application/json']?.schema ?? {}
}

it('has the operations of the table, and no others', () => {
  const names = described.map(({ verb, path }) => `${verb} ${path}`)
  expect(names.toSorted()).toEqual(table.operations.map(({ method, path }) => `${method} ${path}`).toSorted())
})

describe.each(table.operations.filter(({ path }) => path !== burns))('$method $path', (entry) => {
  const match = described.find(({ verb, path }) => verb === entry.method && path === entry.path)
  const { operation = {}, parameters = [], responses = {} } = match ?? {}
  const parametersIn = (place: string) => parameters.filter((parameter) => parameter['in'] === place)

  it('has the parameters of the table', () => {
    const wanted = wantedParameters(entry.path, entry.parameters)
    const own = parametersIn('query').map((parameter) =>
      parameterOf(
        parameter,
        wanted.find(({ name }) => name === parameter['name']),
      ),
    )
    expect(own).toEqual(wanted)
  })

  it('takes the headers that change its answer', () => {
    const answer = typeof table.types[entry.answer] === 'object' ? fieldsOf(entry.answer) : {}
    const understands = entry.parameters.some(({ name }) => name === 'supported_action_types')
    const wanted = [
      'X-Timeout',
      ...('address_book' in answer ? ['X-No-Address-Book'] : []),
      ...('metadata' in answer ? ['X-No-Metadata'] : []),
      ...(understands ? ['X-Actions-Version'] : []),
    ]
    expect(parametersIn('header').map(({ name }) => name)).toEqual(wanted)
    expect(parametersIn('header').some(({ required }) => required === true)).toBe(false)
  })

  it('takes and returns the types of the table', () => {
    const { requestBody } = operation
    expect(requestBody && notation(bodyOf(requestBody))).toBe(entry.body)
    expect(notation(bodyOf(responses['200']))).toBe(entry.answer)
  })

  it('fails with the statuses of every hosted node', () => {
    const hosted = ['401', '403', '404', '422', '429', '500', '502', '503', '504']
    const own = [
      ...(entry.body ? ['413'] : []),
      ...(entry.path.endsWith('/walletInformation') ? ['409'] : []),
      // An indexer need not support every kind of contract.
      ...(/\/(dns|vesting|nft|multisig)\b/.test(entry.path) ? ['501'] : []),
    ]
    const { 200: _, ...failures } = responses
    expect(Object.keys(failures)).toEqual([...hosted, ...own].toSorted())
    for (const [status, failure] of Object.entries(failures))
      expect(notation(bodyOf(failure)), status).toBe('JettonError')
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
  ])('are taken in every form of %s', (name, good, bad) => {
    const takes = compile(components[name])
    for (const value of good) expect(takes(value), value).toBe(true)
    for (const value of bad) expect(takes(value), value).toBe(false)
  })
})
