import { chains } from '@fairlead/evm-rpc/contract'
import { describe, expect, it } from 'vitest'
import { flows, subscriptions, table } from './evm-method-table.ts'
import { notation } from './schema-notation.ts'
import { type Json, methodsOf, specification, validatorsOf } from './specifications.ts'

function lines(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim())
}

function letters(names: readonly string[]): string {
  return names.map((name) => Object.keys(flows).find((letter) => flows[letter] === name) ?? '?').join('')
}

const evm = specification('evm')
const described = methodsOf(evm).map((method) => ({
  ...method,
  ...(method as unknown as {
    tags: readonly { name: string }[]
    deprecated?: boolean
    errors: readonly Json[]
    'x-availability': readonly string[]
    'x-transports'?: readonly string[]
    'x-subscriptions'?: Readonly<
      Record<string, { options?: Json; notification: Json; 'x-availability': readonly string[] }>
    >
  }),
}))

function methodNamed(name: string) {
  const found = described.find((method) => method.name === name)
  if (!found) throw new Error(`no ${name}`)
  return found
}

describe.each(Object.entries(table))('the methods of the group %s', (tag, text) => {
  it('have the params, results and availability of the table', () => {
    const actual = described
      .filter(({ tags }) => tags.some(({ name }) => name === tag))
      .map(({ name, params, result, 'x-availability': by }) => {
        const list = params.map(
          (param) => `${param.name} ${notation(param.schema)}${param.required === true ? '' : '?'}`,
        )
        return `${name}(${list.join(', ')}): ${notation(result.schema)}, ${letters(by)}`
      })
    expect(actual.toSorted()).toEqual(lines(text).toSorted())
  })
})

describe('the methods of a node', () => {
  it('belong to one group each', () => {
    expect(described.filter(({ tags }) => tags.length !== 1).map(({ name }) => name)).toEqual([])
    expect(
      described.filter(({ tags: [tag] }) => !tag || !(tag.name in table)).map(({ name }) => name),
    ).toEqual([])
  })

  it('list the errors that any method may return', () => {
    const common = ['MethodNotFound', 'InvalidParams', 'InternalError', 'Unauthorized', 'LimitExceeded']
    for (const { name, errors } of described) {
      expect.soft(errors.slice(0, common.length).map(notation), name).toEqual(common)
    }
  })

  it('have a default where the reference has one', () => {
    const defaults = described.flatMap(({ name, params }) =>
      params.flatMap((param) =>
        'default' in param.schema ? [[name, param.name, param.schema['default']]] : [],
      ),
    )
    const otherDefaults = defaults.filter(([, param, value]) => !(param === 'block' && value === 'latest'))
    expect(otherDefaults).toEqual([
      ['eth_callMany', 'timeoutMs', 5000],
      ['eth_feeHistory', 'rewardPercentiles', []],
      ['eth_newPendingTransactionFilter', 'fullTransactions', false],
    ])
    const optional = described.flatMap(({ name, params }) =>
      params.flatMap((param) => (param.name === 'block' && param.required !== true ? [[name, param]] : [])),
    ) as [string, { schema: Json }][]
    expect(optional.length).toBeGreaterThan(10)
    // This method uses the latest executed block, for which there is no block tag.
    expect(optional.flatMap(([name, { schema }]) => ('default' in schema ? [] : [name]))).toEqual([
      'erigon_blockNumber',
    ])
  })

  it('are marked when they are obsolete since proof of stake', () => {
    const marked = described.filter(({ deprecated }) => deprecated === true)
    expect(marked.map(({ name }) => name).toSorted()).toEqual(
      lines(table['mining'] ?? '')
        .map((line) => line.slice(0, line.indexOf('(')))
        .toSorted(),
    )
  })

  it('require a WebSocket only for subscriptions', () => {
    const bound = described.filter((method) => method['x-transports'] !== undefined)
    expect(bound.map(({ name, 'x-transports': transports }) => [name, transports])).toEqual([
      ['eth_subscribe', ['websocket']],
      ['eth_unsubscribe', ['websocket']],
    ])
  })
})

describe('the subscriptions', () => {
  const { params, 'x-subscriptions': kinds = {} } = methodNamed('eth_subscribe')
  const compile = validatorsOf(evm)

  it('have the options and notifications of the table', () => {
    const actual = Object.entries(kinds).map(([kind, { options, notification, 'x-availability': by }]) => {
      const optionsType = options ? notation(options) : ''
      return `${kind}(${optionsType}): ${notation(notification)}, ${letters(by)}`
    })
    expect(actual).toEqual(lines(subscriptions))
  })

  it('are the kinds that the method accepts', () => {
    expect(params[0]?.schema['enum']).toEqual(Object.keys(kinds))
  })

  it('have options that the method accepts', () => {
    const validate = compile(params[1]?.schema)
    for (const options of [{ address: null, topics: [null] }, { transactionHashes: [] }, true, {}]) {
      expect.soft(validate(options), JSON.stringify(options)).toBe(true)
    }
    expect(validate({ fromBlock: 'latest' })).toBe(false)
  })

  it('report the sync status in each format of the nodes', () => {
    const validate = compile({ $ref: '#/components/schemas/SyncNotification' })
    const nested = { StartingBlock: 0, CurrentBlock: 5, HighestBlock: 9 }
    for (const form of [
      false,
      { syncing: true, status: nested },
      { syncing: true, startingBlock: 0, currentBlock: 5, highestBlock: null },
      { startingBlock: '0x0', currentBlock: '0x5', highestBlock: '0x9' },
    ]) {
      expect.soft(validate(form), JSON.stringify(form)).toBe(true)
    }
    for (const invalid of [true, null, {}, { syncing: true }, { syncing: false, status: nested }]) {
      expect.soft(validate(invalid), JSON.stringify(invalid)).toBe(false)
    }
  })
})

describe('the errors', () => {
  const components = (evm['components'] as { errors: Record<string, { code: number; message: string }> })
    .errors

  it('have the codes of the standards', () => {
    const codes = Object.values(components).map(({ code }) => code)
    const expected = [
      [-32700, -32600, -32601, -32602, -32603],
      [-32000, -32001, -32002, -32003, -32004, -32005, -32006],
      [3, 4, 4444, 4445, -39001, -32015, -32016],
      [
        -38010, -38011, -38012, -38013, -38014, -38015, -38020, -38021, -38022, -38023, -38024, -38025,
        -38026,
      ],
      [1, 2, 800, 801, 802, 803, 804, 805, 806, 807, 808, 809, 1000, 1001, 2000],
      [4001, 4100, 4200, 4900, 4901, 4902],
      // Specific to this gateway: no standard defines a code for credentials.
      [-32041],
    ].flat()
    const ascending = (a: number, b: number) => a - b
    expect([...new Set(codes)].toSorted(ascending)).toEqual(expected.toSorted(ascending))
  })

  it('of a submitted transaction list every reason', () => {
    const codesOf = (name: string) => {
      return methodNamed(name).errors.map((error) => components[notation(error)]?.code ?? Number.NaN)
    }
    const reasons = [1, 2, 3, 4, 800, 801, 802, 803, 804, 805, 806, 807, 808, 809, 1000, 1001, 2000]
    expect(codesOf('eth_sendRawTransaction')).toEqual(expect.arrayContaining(reasons))
    expect(codesOf('eth_sendTransaction')).toEqual(expect.arrayContaining(reasons))
    expect(codesOf('eth_sendRawTransactionSync')).toContain(4)
    expect(codesOf('eth_simulateV1').filter((code) => code <= -38010 && code >= -38026)).toHaveLength(13)
  })
})

describe('the chains', () => {
  const withoutTags = (...tags: readonly string[]) =>
    described
      .filter((method) => !method.tags.some(({ name }) => tags.includes(name)))
      .map(({ name }) => name)
      .toSorted()

  it('are distinguished by URL, networks and finality', () => {
    expect(
      Object.entries(chains).map(([name, { path, networks, finality }]) => [name, path, networks, finality]),
    ).toEqual([
      ['ethereum', null, { mainnet: '0x1', sepolia: '0xaa36a7', hoodi: '0x88bb0' }, 'checkpoint'],
      ['evm', null, {}, 'unknown'],
      ['high-throughput', 'evm', { mainnet: '0x3e7', testnet: '0x3e6' }, 'instant'],
    ])
  })

  it('offer every method except those that need a key or a miner, and core-layer methods where they do not exist', () => {
    expect(chains.evm.methods.toSorted()).toEqual(withoutTags('sign', 'mining'))
    expect(chains['high-throughput'].methods.toSorted()).toEqual(withoutTags('sign', 'mining'))
    expect(chains.ethereum.methods.toSorted()).toEqual(withoutTags('sign', 'mining', 'system'))
  })
})
