/** Determines how long a response stays valid. */
export type Ttl =
  /** Depends on the params alone. */
  | { readonly kind: 'params' }
  /** Belongs to the chain as a whole. Refreshed periodically, because the URL may point to another chain later. */
  | { readonly kind: 'chain'; readonly ms: number }
  /** Belongs to the block that a param names. For a block tag, belongs to the chain head. */
  | { readonly kind: 'block'; readonly param: number }
  /** Names its block in `field` of the result, or of each element of the result. */
  | { readonly kind: 'self-describing'; readonly field: 'number' | 'blockNumber' }
  /** Belongs to the blocks of a log filter. */
  | { readonly kind: 'logs' }
  /** Belongs to the latest block. */
  | { readonly kind: 'head' }
  /** Validity cannot be determined. */
  | { readonly kind: 'uncacheable' }

/** Methods whose responses have the same caching rule. */
export interface CacheRule {
  readonly methods: readonly string[]
  readonly ttl: Ttl
  /**
   * Whether responses are also cached in the shared store. This applies only to responses that take an upstream longer
   * than a request to the store.
   */
  readonly isShared: boolean
  /** Reason in human-readable form. */
  readonly why: string
}

const block = (param: number): Ttl => ({ kind: 'block', param })
const selfDescribing = (field: 'number' | 'blockNumber'): Ttl => ({ kind: 'self-describing', field })

/**
 * Rules for which responses may be cached, for how long, and why. Every call of a method without a rule is sent to the
 * upstream. `docs/reference/caching.md` is written from this table.
 */
export const cacheRules: readonly CacheRule[] = [
  {
    methods: ['web3_sha3'],
    ttl: { kind: 'params' },
    isShared: false,
    why: 'a hash of the params',
  },
  {
    methods: ['eth_chainId', 'net_version'],
    ttl: { kind: 'chain', ms: 60_000 },
    isShared: false,
    why: 'the chain id does not change',
  },
  {
    methods: [
      'eth_getBlockByNumber',
      'eth_getBlockReceipts',
      'eth_getBlockReceiptsWithSystemTx',
      'eth_getBlockAccessList',
      'eth_getBlockAccessListByBlockNumber',
      'debug_getRawBlock',
      'debug_getRawReceipts',
      'debug_getRawTransactions',
      'ots_getBlockDetails',
    ],
    ttl: block(0),
    isShared: true,
    why: 'the contents of a finalized block do not change; blocks and receipts are long and come from the disk',
  },
  {
    methods: [
      'eth_getBlockTransactionCountByNumber',
      'eth_getHeaderByNumber',
      'eth_getRawTransactionByBlockNumberAndIndex',
      'eth_getTransactionByBlockNumberAndIndex',
      'eth_getUncleByBlockNumberAndIndex',
      'eth_getUncleCountByBlockNumber',
      'eth_getEvmSystemTxsByBlockNumber',
      'eth_getEvmSystemTxsReceiptsByBlockNumber',
      'eth_getSystemTxsByBlockNumber',
      'debug_getRawHeader',
    ],
    ttl: block(0),
    isShared: false,
    why: 'part of a finalized block; short, and as fast to get from the upstream',
  },
  {
    methods: [
      'eth_getAccount',
      'eth_getAccountInfo',
      'eth_getBalance',
      'eth_getCode',
      'eth_getStorageValues',
      'eth_getTransactionCount',
      'ots_hasCode',
      'eth_feeHistory',
      'eth_call',
      'eth_createAccessList',
    ],
    ttl: block(1),
    isShared: false,
    why: 'the state of a finalized block does not change, and execution on it returns the same result for the same params, including state overrides',
  },
  {
    methods: ['eth_getStorageAt', 'eth_getProof'],
    ttl: block(2),
    isShared: false,
    why: 'as above',
  },
  {
    methods: [
      'debug_traceBlockByNumber',
      'trace_block',
      'trace_blockOpcodeGas',
      'trace_replayBlockTransactions',
    ],
    ttl: block(0),
    isShared: true,
    why: 'the execution of a finalized block always has the same result, and is expensive',
  },
  {
    methods: ['debug_traceCall'],
    ttl: block(1),
    isShared: true,
    why: 'as above',
  },
  {
    methods: ['eth_getBlockByHash'],
    ttl: selfDescribing('number'),
    isShared: true,
    why: 'the response contains its block number, and is cached only when that block is finalized',
  },
  {
    methods: [
      'eth_getTransactionReceipt',
      'trace_transaction',
      'erigon_getBlockReceiptsByBlockHash',
      'ots_traceTransaction',
    ],
    ttl: selfDescribing('blockNumber'),
    isShared: true,
    why: 'as above; a response without a block is not cached',
  },
  {
    methods: [
      'eth_getTransactionByHash',
      'eth_getTransactionByBlockHashAndIndex',
      'eth_getTransactionBySenderAndNonce',
    ],
    ttl: selfDescribing('blockNumber'),
    isShared: false,
    why: 'as above; null and a transaction without a block are not cached',
  },
  {
    methods: ['eth_getHeaderByHash', 'erigon_getHeaderByHash', 'eth_getUncleByBlockHashAndIndex'],
    ttl: selfDescribing('number'),
    isShared: false,
    why: 'as above',
  },
  {
    methods: ['eth_getLogs', 'erigon_getLogs'],
    ttl: { kind: 'logs' },
    isShared: true,
    why: 'logs of a range of finalized blocks do not change. By block hash, cached only when the logs contain a finalized block number; an empty list is cached only for blocks well behind the head',
  },
  {
    methods: [
      'eth_blockNumber',
      'eth_gasPrice',
      'eth_maxPriorityFeePerGas',
      'eth_baseFee',
      'eth_blobBaseFee',
      'eth_bigBlockGasPrice',
    ],
    ttl: { kind: 'head' },
    isShared: false,
    why: 'new with every block',
  },
  {
    methods: [
      'debug_codeByHash',
      'debug_traceTransaction',
      'debug_traceBlockByHash',
      'eth_getBlockTransactionCountByHash',
      'eth_getUncleCountByBlockHash',
      'eth_getRawTransactionByHash',
      'debug_getRawTransaction',
      'trace_get',
      'trace_replayTransaction',
      'ots_getInternalOperations',
      'ots_getTransactionError',
      'ots_getBlockDetailsByHash',
      'ots_getContractCreator',
    ],
    ttl: { kind: 'uncacheable' },
    isShared: false,
    why: 'the response does not show whether its block is finalized',
  },
  {
    methods: [
      'eth_estimateGas',
      'eth_simulateV1',
      'eth_callMany',
      'trace_call',
      'trace_callMany',
      'trace_filter',
      'debug_traceCallMany',
    ],
    ttl: { kind: 'uncacheable' },
    isShared: false,
    why: 'several block params, or an estimate of the execution client',
  },
]

const ruleOf = new Map(cacheRules.flatMap((rule) => rule.methods.map((method) => [method, rule] as const)))

/** Returns the rule of a method. Undefined for a method whose calls are all sent to the upstream separately. */
export function cacheRuleOf(method: string): CacheRule | undefined {
  return ruleOf.get(method)
}
