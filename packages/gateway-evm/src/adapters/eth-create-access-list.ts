import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Adapter } from './adapter.ts'
import { trimmed } from './empty-overrides.ts'
import { nodeClient } from './node-client.ts'

/** Rejects state overrides for Erigon, whose third parameter is a flag that they would be read as. */
export const ethCreateAccessList: Adapter = {
  handle: async ({ signal }, params, upstream) => {
    const short = trimmed(params)
    if (short.length > 2 && (await nodeClient(upstream, signal)) === 'erigon') {
      throw new RpcError(
        rpcCodes.invalidParams,
        'The upstreams of this node do not support stateOverrides in eth_createAccessList.',
      )
    }
    return short.length === params.length ? undefined : upstream.call('eth_createAccessList', short, signal)
  },
}
