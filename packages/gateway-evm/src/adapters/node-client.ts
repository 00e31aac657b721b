import { toRpcError } from '../upstream/rpc-errors.ts'
import type { CancellationSignal } from '@fairlead/http1'
import type { Upstream } from '../upstream/types.ts'

/** Node clients whose answers differ from the specification in a way that only their name tells. */
export type NodeClient = 'anvil' | 'erigon' | 'other'

const clients = new WeakMap<Upstream, NodeClient>()

/** Asks a node once which client it is; one that does not say is an ordinary one. */
export async function nodeClient(upstream: Upstream, signal: CancellationSignal): Promise<NodeClient> {
  const known = clients.get(upstream)
  if (known) return known
  const version = await upstream.call('web3_clientVersion', [], signal).catch((error: unknown) => {
    // An error of the node is an answer too; any other status means that there was none.
    if (toRpcError(error)?.status === 200) return undefined
    throw error
  })
  const name = typeof version === 'string' ? version.toLowerCase() : ''
  const client = (['anvil', 'erigon'] as const).find((one) => name.startsWith(one)) ?? 'other'
  clients.set(upstream, client)
  return client
}
