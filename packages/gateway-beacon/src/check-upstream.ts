import type { UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamCheck } from '@fairlead/gateway-core/protocol/module'
import { fetchCheck, UnexpectedCheck } from '@fairlead/gateway-core/upstream/check-upstream'

/** Checks whether an upstream reports its slot. */
export async function checkUpstream(
  _recordName: string,
  upstream: UpstreamRecord,
  timeoutMs: number,
): Promise<UpstreamCheck> {
  const { data } = (await fetchCheck(upstream, timeoutMs, { path: '/eth/v1/node/syncing' })) as {
    data?: { head_slot?: string; is_syncing?: boolean }
  }
  if (data?.head_slot === undefined) throw new UnexpectedCheck()
  return data.is_syncing === true
    ? { warning: `slot ${data.head_slot}, the upstream is still syncing` }
    : `slot ${data.head_slot}`
}
