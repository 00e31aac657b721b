import { collectBody } from '@fairlead/gateway-core/http/collect-body'
import type { CancellationSignal } from '@fairlead/http1'
import type { RestUpstream, StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import type { UpstreamHealth } from '@fairlead/gateway-core/upstream/steady-pool'

const maxBytes = 65_536

/**
 * Asks a node how it is.
 *
 * @param signal - ends the exchange
 * @throws when the node does not answer, or answers something else
 * @see operation getSyncingStatus of the beacon node API
 */
export async function readHealth(
  upstream: RestUpstream,
  signal: CancellationSignal,
): Promise<UpstreamHealth> {
  const headers = { accept: 'application/json' }
  const answer = await upstream.request({ method: 'GET', target: '/eth/v1/node/syncing', headers, signal })
  if (!('body' in answer)) throw new Error(`The node answered HTTP ${answer.status} about its health.`)
  const { data } = JSON.parse(await textOf(answer)) as { data: Record<string, unknown> }
  const head = Number(data['head_slot'])
  if (!Number.isSafeInteger(head)) throw new Error('The node does not say where its head is.')
  return {
    head,
    isSyncing: data['is_syncing'] === true,
    // Older nodes leave these out.
    isUnverified: data['is_optimistic'] === true || data['el_offline'] === true,
  }
}

async function textOf({ body }: StreamedResponse): Promise<string> {
  let total = 0
  const bytes = await collectBody(body, (length) => {
    total += length
    if (total > maxBytes) throw new Error('The node says too much about its health.')
  })
  return bytes.toString()
}
