import type { JettonAdapter } from '../upstream/types.ts'
import { recordOf } from './upstream-response.ts'

/** Returns the shards at a block. Every upstream implementation supports the name `shards`. */
export const getShards: JettonAdapter = async ({ parameters, tenant, signal }, upstreams) => {
  const query = { seqno: Number(parameters['seqno']) }
  return recordOf(
    await upstreams.request({ family: 'v2', method: 'GET', path: '/shards', query, tenant, signal }),
  )
}

/** The same by JSON-RPC. */
export const getShardsByJsonRpc: JettonAdapter = async (call, upstreams) => {
  const { result } = (await getShards(call, upstreams)) as { readonly result?: unknown }
  return result
}
