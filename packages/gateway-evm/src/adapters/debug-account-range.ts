import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Adapter } from './adapter.ts'

const withoutLast = 5

/** Makes the last parameter optional. go-ethereum requires it, Erigon does not have it. */
export const debugAccountRange: Adapter = {
  handle: ({ signal }, params, upstream) => {
    if (params.length !== withoutLast) return undefined
    return upstream.call('debug_accountRange', params, signal).catch((error: unknown) => {
      if (!(error instanceof RpcError) || error.code !== rpcCodes.invalidParams) throw error
      return upstream.call('debug_accountRange', [...params, false], signal)
    })
  },
}
