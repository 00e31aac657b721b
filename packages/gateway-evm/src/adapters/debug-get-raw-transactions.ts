import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Adapter } from './adapter.ts'
import { blockHashOf } from './block-number.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { nativeOrDerived } from './native-or-derived.ts'

/** Returns the transactions of a block as bytes. Fetches them one by one from an upstream without the method. */
export const debugGetRawTransactions: Adapter = {
  derivedFrom: ['debug_getRawTransaction', 'eth_getBlockByNumber', 'eth_getBlockByHash'],
  handle: ({ signal }, params, upstream) =>
    nativeOrDerived({ upstream, method: 'debug_getRawTransactions', params, signal }, async () => {
      const [block] = params
      const hash = blockHashOf(block)
      const number = isRecord(block) ? block['blockNumber'] : block
      const found = await (hash === undefined
        ? upstream.call('eth_getBlockByNumber', [number, false], signal)
        : upstream.call('eth_getBlockByHash', [hash, false], signal))
      const hashes = isRecord(found) ? found['transactions'] : undefined
      if (!Array.isArray(hashes)) {
        throw new RpcError(rpcCodes.resourceNotFound, 'The block is not known.')
      }
      return upstream.batch(
        hashes.map((item) => ['debug_getRawTransaction', [item]] as const),
        signal,
      )
    }),
}
