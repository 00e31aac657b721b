import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { malformed } from '../response/rpc-errors.ts'
import type { Upstream } from '../upstream/types.ts'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { nativeOrDerived } from './native-or-derived.ts'
import { normalizeReceipt, normalizeReceipts } from './receipts.ts'

/** Returns the number of the block that a tag refers to. */
export const erigonBlockNumber: Adapter = {
  derivedFrom: ['eth_blockNumber', 'eth_getBlockByNumber'],
  handle: ({ signal }, params, upstream) =>
    nativeOrDerived({ upstream, method: 'erigon_blockNumber', params, signal }, async () => {
      const [tag = 'latest'] = params
      if (tag === 'latest') return upstream.call('eth_blockNumber', [], signal)
      const block = await upstream.call('eth_getBlockByNumber', [tag, false], signal)
      if (isRecord(block)) return block['number']
      throw new RpcError(rpcCodes.resourceNotFound, 'The block is not known.')
    }),
}

/** Returns the receipts of a block by its hash. */
export const erigonGetBlockReceiptsByBlockHash: Adapter = {
  derivedFrom: ['eth_getBlockReceipts'],
  handle: async ({ signal }, params, upstream) => {
    const method = 'erigon_getBlockReceiptsByBlockHash'
    const receipts = await nativeOrDerived({ upstream, method, params, signal }, () =>
      receiptsOf(params[0], upstream, signal),
    )
    return normalizeReceipts(receipts)
  },
}

/** Returns the logs of a block, one list per transaction. */
export const erigonGetLogsByHash: Adapter = {
  derivedFrom: ['eth_getBlockReceipts'],
  handle: ({ signal }, params, upstream) =>
    nativeOrDerived({ upstream, method: 'erigon_getLogsByHash', params, signal }, async () => {
      const receipts = await receiptsOf(params[0], upstream, signal)
      return receipts.map((receipt) => (normalizeReceipt(receipt) as { readonly logs: unknown }).logs)
    }),
}

async function receiptsOf(
  blockHash: unknown,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<readonly unknown[]> {
  const receipts = await upstream.call('eth_getBlockReceipts', [blockHash], signal)
  if (receipts === null) throw new RpcError(rpcCodes.resourceNotFound, 'The block is not known.')
  if (!Array.isArray(receipts)) throw malformed()
  return receipts as readonly unknown[]
}
