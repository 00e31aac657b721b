import type { LatencyClass } from '@fairlead/gateway-core/upstream/latency'

// Methods that upstreams serve from memory or by a key, for any parameters. Every other method has no bound on its
// duration: it executes code or scans a range of blocks.
const shortMethods: ReadonlySet<string> = new Set([
  'erigon_blockNumber',
  'erigon_forks',
  'erigon_getHeaderByHash',
  'erigon_getHeaderByNumber',
  'eth_accounts',
  'eth_baseFee',
  'eth_bigBlockGasPrice',
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_capabilities',
  'eth_chainId',
  'eth_coinbase',
  'eth_config',
  'eth_gasPrice',
  'eth_getAccount',
  'eth_getAccountInfo',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getHeaderByHash',
  'eth_getHeaderByNumber',
  'eth_getRawTransactionByBlockHashAndIndex',
  'eth_getRawTransactionByBlockNumberAndIndex',
  'eth_getRawTransactionByHash',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_hashrate',
  'eth_maxPriorityFeePerGas',
  'eth_mining',
  'eth_protocolVersion',
  'eth_syncing',
  'eth_usingBigBlocks',
  'net_listening',
  'net_peerCount',
  'net_version',
  'ots_getApiLevel',
  'txpool_status',
  'web3_clientVersion',
  'web3_sha3',
])

/**
 * Returns the latency class of a method: `short` is a lookup by key or at the chain head. An unknown method is `long`.
 */
export function latencyClassOf(method: string): LatencyClass {
  return shortMethods.has(method) ? 'short' : 'long'
}
