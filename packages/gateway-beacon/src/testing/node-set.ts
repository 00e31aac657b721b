import { findBeaconOperation } from '../operations/operations.ts'
import { onTestFinished } from 'vitest'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { beaconFormat } from '../http/beacon-format.ts'
import { createRestUpstream } from '@fairlead/gateway-core/rest/rest-upstream'
import type { BeaconUpstreams, BeaconCall, NodeUpstreams } from '../upstream/types.ts'
import { type BeaconUpstreamOptions, createBeaconUpstreams } from '../upstream/beacon-upstreams.ts'
import { healthTimes } from '@fairlead/gateway-core/upstream/steady-pool'

/** A grant for a node with some servers as upstreams. */
export function grantOf(servers: readonly { readonly url: string }[], credentialId = 'credential'): Grant {
  return {
    credentialId,
    kind: 'token',
    nodeId: 'node',
    projectId: 'project',
    organizationId: 'organization',
    chain: 'beacon',
    network: 'devnet',
    protocols: ['beacon'],
    upstreams: { beacon: servers.map(({ url }) => url).join(' ') },
  }
}

/**
 * Creates the upstreams of all nodes until the running test ends, with shorter health check intervals than the gateway.
 */
export function testUpstreams(options: Partial<BeaconUpstreamOptions> = {}): BeaconUpstreams {
  const { timeoutMs = 2_000, ...others } = options
  const upstreams = createBeaconUpstreams({
    open: (address) => createRestUpstream(address, timeoutMs, beaconFormat),
    embedded: undefined,
    timeoutMs,
    times: { ...healthTimes, intervalMs: 100 },
    ...others,
  })
  onTestFinished(() => upstreams.close())
  return upstreams
}

/** Sends a call and reads the complete response. */
export async function sendCall(
  upstreams: NodeUpstreams,
  call: Partial<BeaconCall> & { readonly target: string },
): Promise<{ readonly status: number; readonly text: string; readonly bytes: Buffer }> {
  const { method = 'GET' } = call
  const [path = ''] = call.target.split('?', 1)
  const response = await upstreams.forward({
    method,
    operation: findBeaconOperation(method, path),
    headers: {},
    tenant: undefined,
    signal: new AbortController().signal,
    ...call,
  })
  const chunks: Buffer[] = []
  if ('bytes' in response) chunks.push(Buffer.from(response.bytes))
  else for await (const chunk of response.body as AsyncIterable<Buffer>) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  return { status: response.status, text: bytes.toString(), bytes }
}
