import { RpcFailure, rpcCodes } from '../../json-rpc/rpc-failure.ts'
import { unreadable } from '../upstream-failure.ts'
import type { Upstream } from '../upstream.ts'
import { validateParams } from '../validate-params.ts'
import type { Adapter } from './adapter.ts'

interface BlockTransaction {
  readonly type?: string
  readonly from: string
  readonly gasPrice?: string
}

// Nodes that said they do not have the method; asked once each.
const without = new WeakSet<Upstream>()

/**
 * System transactions come from the chain's core layer: legacy transactions at gas price zero from a system address.
 * A node that does not know the method still has them in the block.
 */
export const ethGetSystemTxsByBlockHash: Adapter = {
  answer: async ({ signal }, params, upstream) => {
    validateParams('eth_getSystemTxsByBlockHash', params)
    if (!without.has(upstream)) {
      try {
        return await upstream.call('eth_getSystemTxsByBlockHash', params, signal)
      } catch (error) {
        if (!(error instanceof RpcFailure) || error.code !== rpcCodes.methodNotFound) throw error
        without.add(upstream)
      }
    }
    const block = await upstream.call('eth_getBlockByHash', [params[0], true], signal)
    if (block === null) return null
    const { transactions } = block as { readonly transactions?: readonly BlockTransaction[] }
    if (!Array.isArray(transactions)) throw unreadable()
    return transactions.filter(isSystemTransaction)
  },
}

// 0x2222…22 moves the native coin, 0x20…<token index> a bridged token.
const systemAddress = /^0x(2{40}|20{30,38}[0-9a-f]{1,9})$/i

function isSystemTransaction({ type = '0x0', from, gasPrice }: BlockTransaction): boolean {
  return type === '0x0' && gasPrice === '0x0' && from.length === 42 && systemAddress.test(from)
}
