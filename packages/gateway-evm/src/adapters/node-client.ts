import { toRpcError } from '../response/rpc-errors.ts'
import type { CancellationSignal } from '@fairlead/runtime'
import type { Upstream } from '../upstream/types.ts'

/** Execution clients whose responses differ from the specification in ways that only the client name reveals. */
export type NodeClient = 'anvil' | 'erigon' | 'other'

interface KnownClient {
  readonly client: NodeClient
  readonly version: number | undefined
}

const clients = new WeakMap<Upstream, KnownClient>()

/**
 * Detects which execution client an upstream runs. The result is cached. An upstream that does not report a client
 * counts as `other`.
 */
export async function nodeClient(upstream: Upstream, signal: CancellationSignal): Promise<NodeClient> {
  const version = upstream.list?.version
  const { origin = upstream } = upstream
  const cached = clients.get(origin)
  if (cached && cached.version === version) return cached.client
  const clientVersion = await upstream.call('web3_clientVersion', [], signal).catch((error: unknown) => {
    // An error of the upstream is a valid response. Any other status means that there was no response.
    if (toRpcError(error)?.status === 200) return undefined
    throw error
  })
  const name = typeof clientVersion === 'string' ? clientVersion.toLowerCase() : ''
  const client = (['anvil', 'erigon'] as const).find((candidate) => name.startsWith(candidate)) ?? 'other'
  clients.set(origin, { client, version })
  return client
}
