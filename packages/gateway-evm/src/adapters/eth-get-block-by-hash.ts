import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Adapter } from './adapter.ts'

/** Returns null for an invalid hash, as no block can have it. Upstreams return an error for the parameter. */
export const ethGetBlockByHash: Adapter = {
  handle: (_, [blockHash, fullTransactionObjects]) => {
    if (typeof fullTransactionObjects !== 'boolean') {
      throw new RpcError(rpcCodes.invalidParams, 'fullTransactionObjects must be true or false.')
    }
    const isHash = typeof blockHash === 'string' && /^0x[0-9a-fA-F]{64}$/.test(blockHash)
    return isHash ? undefined : Promise.resolve(null)
  },
}
