/** An error code that a method returns although the OpenRPC document does not declare it. */
export interface ErrorDeviation {
  readonly code: number
  readonly methods: RegExp
  readonly message: RegExp
  readonly reason: string
}

export const errorDeviations: readonly ErrorDeviation[] = [
  {
    code: -32001,
    methods: /^eth_get(UncleByBlockHashAndIndex|UncleCountByBlockHash|BlockTransactionCountByHash)$/,
    message: /^Resource not found$/,
    reason: 'anvil rejects an unknown block where other nodes return null',
  },
  {
    code: -32600,
    methods: /^/,
    message: /^Invalid request$/,
    reason: 'anvil cannot parse strings with a lone surrogate, and some filters',
  },
  {
    code: -32000,
    methods: /^eth_feeHistory$/,
    message: /^(invalid reward percentile|request beyond head block)/,
    reason: 'go-ethereum has no other code for a block beyond the head and for percentiles out of order',
  },
]

/** A result that go-ethereum returns although the OpenRPC document does not describe it. */
export interface ResultDeviation {
  readonly methods: readonly string[]
  readonly reason: string
  allows(result: unknown): boolean
}

export const resultDeviations: readonly ResultDeviation[] = [
  {
    methods: ['eth_feeHistory'],
    reason: 'for an empty block range there are no base fees, and the list of ratios is null',
    allows: (result) => JSON.stringify(result) === '{"oldestBlock":"0x0","gasUsedRatio":null}',
  },
  {
    methods: ['debug_getRawReceipts', 'debug_intermediateRoots'],
    reason: 'null for an unknown block',
    allows: (result) => result === null,
  },
  {
    methods: ['eth_getBlockByNumber', 'eth_getHeaderByNumber', 'erigon_getHeaderByNumber'],
    reason: 'the pending block has no hash yet',
    allows: (result) =>
      typeof result === 'object' && result !== null && 'hash' in result && result.hash === null,
  },
  {
    methods: ['debug_executionWitness'],
    reason: 'an empty list is null',
    allows: (result) => typeof result === 'object' && result !== null && Object.values(result).includes(null),
  },
]
