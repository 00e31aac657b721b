import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { malformed } from '../upstream/rpc-errors.ts'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { nativeOrDerived } from './native-or-derived.ts'
import { quantity } from './quantity.ts'

/** What a block has and a header has not. The size is that of the block. */
const bodyFields = new Set(['transactions', 'uncles', 'withdrawals', 'size'])

/** The header of a block; a header stays as it is, and null stays null. */
export function headerOf(block: unknown): unknown {
  if (block === null) return null
  if (!isRecord(block)) throw malformed()
  return Object.fromEntries(Object.entries(block).filter(([field]) => !bodyFields.has(field)))
}

/** A header by hash; nodes without such a method have it in the block. */
export const ethGetHeaderByHash = headerBy('eth_getHeaderByHash', 'eth_getBlockByHash')
/** As {@link ethGetHeaderByHash}, by number or tag. */
export const ethGetHeaderByNumber = headerBy('eth_getHeaderByNumber', 'eth_getBlockByNumber')
/** As {@link ethGetHeaderByHash}, under the name that block explorers use. */
export const erigonGetHeaderByHash = headerBy('erigon_getHeaderByHash', 'eth_getBlockByHash')
/** As {@link ethGetHeaderByNumber}, under the name that block explorers use; the number may be a decimal one. */
export const erigonGetHeaderByNumber = headerBy('erigon_getHeaderByNumber', 'eth_getBlockByNumber')

function headerBy(method: string, blockMethod: string): Adapter {
  return {
    derivedFrom: [blockMethod],
    answer: async ({ signal }, [given], upstream) => {
      // Only the names of block explorers take decimal numbers.
      const block = method.startsWith('erigon_') ? quantity(given) : given
      if (typeof block !== 'string') {
        throw new RpcError(rpcCodes.invalidParams, 'invalid argument 0: must be the text of a block.')
      }
      const found = await nativeOrDerived({ upstream, method, params: [block], signal }, () =>
        upstream.call(blockMethod, [block, false], signal),
      )
      return headerOf(found)
    },
  }
}
