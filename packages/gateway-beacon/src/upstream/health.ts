import { isRecord } from '@fairlead/gateway-core/json'
import type { CancellationSignal } from '@fairlead/runtime'
import { readShortJson } from '@fairlead/gateway-core/rest/read-short-json'
import type { RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import type { HealthRule } from '@fairlead/gateway-core/upstream/check-health'
import type { UpstreamHealth } from '@fairlead/gateway-core/upstream/steady-pool'

/**
 * Reads the health of a beacon upstream.
 *
 * @param signal - aborts the request
 * @throws when the upstream does not respond, or responds with something else
 * @see operation getSyncingStatus of the beacon node API
 */
export async function readHealth(
  upstream: RestUpstream,
  signal: CancellationSignal,
): Promise<UpstreamHealth> {
  const content = await readShortJson(upstream, '/eth/v1/node/syncing', signal)
  const data = isRecord(content) && isRecord(content['data']) ? content['data'] : {}
  const head = Number(data['head_slot'])
  if (!Number.isSafeInteger(head)) throw new Error('The response has no head slot.')
  return {
    head,
    isSyncing: data['is_syncing'] === true,
    // Older beacon nodes omit these fields.
    isUnverified: data['is_optimistic'] === true || data['el_offline'] === true,
  }
}

/** The rules of the health of beacon upstreams. */
export const healthRules: readonly HealthRule<RestUpstream, UpstreamHealth>[] = [
  async ({ upstream }, health, signal) => {
    Object.assign(health, await readHealth(upstream.connection, signal()))
  },
]
