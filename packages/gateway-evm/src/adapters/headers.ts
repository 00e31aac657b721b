import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { malformed } from '../response/rpc-errors.ts'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { nativeOrDerived } from './native-or-derived.ts'
import { quantity } from './quantity.ts'

/** Fields that a block has in addition to those of a header. `size` is the size of the block. */
const bodyFields = new Set(['transactions', 'uncles', 'withdrawals', 'size'])

/** Returns the header of a block. A header and null are returned unchanged. */
export function headerOf(block: unknown): unknown {
  if (block === null) return null
  if (!isRecord(block)) throw malformed()
  return Object.fromEntries(Object.entries(block).filter(([field]) => !bodyFields.has(field)))
}

/** Returns a header by hash. Extracts it from the block for an upstream without the method. */
export const ethGetHeaderByHash = headerBy('eth_getHeaderByHash', 'eth_getBlockByHash')
/** As {@link ethGetHeaderByHash}, by number or tag. */
export const ethGetHeaderByNumber = headerBy('eth_getHeaderByNumber', 'eth_getBlockByNumber')
/** As {@link ethGetHeaderByHash}, under the method name that block explorers use. */
export const erigonGetHeaderByHash = headerBy('erigon_getHeaderByHash', 'eth_getBlockByHash')
/**
 * As {@link ethGetHeaderByNumber}, under the method name that block explorers use. The block number may be a JSON
 * number.
 */
export const erigonGetHeaderByNumber = headerBy('erigon_getHeaderByNumber', 'eth_getBlockByNumber')

function headerBy(method: string, blockMethod: string): Adapter {
  return {
    derivedFrom: [blockMethod],
    handle: async ({ signal }, [given], upstream) => {
      // Only the block explorer methods accept JSON numbers.
      const block = method.startsWith('erigon_') ? quantity(given) : given
      if (typeof block !== 'string') {
        throw new RpcError(
          rpcCodes.invalidParams,
          'invalid argument 0: must be a string with a block number or block tag.',
        )
      }
      const found = await nativeOrDerived({ upstream, method, params: [block], signal }, () =>
        upstream.call(blockMethod, [block, false], signal),
      )
      return headerOf(found)
    },
  }
}
