import type { UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamCheck } from '@fairlead/gateway-core/protocol/module'
import { fetchCheck, UnexpectedCheck } from '@fairlead/gateway-core/upstream/check-upstream'

/** Checks whether an upstream reports its latest masterchain block. */
export async function checkUpstream(
  recordName: string,
  upstream: UpstreamRecord,
  timeoutMs: number,
): Promise<UpstreamCheck> {
  const isIndex = recordName === 'jetton-v3'
  const path = isIndex ? '/api/v3/masterchainInfo' : '/api/v2/getMasterchainInfo'
  const response = (await fetchCheck(upstream, timeoutMs, { path })) as ChainInfo & { result?: ChainInfo }
  const seqno = (isIndex ? response.last : response.result?.last)?.seqno
  if (seqno === undefined) throw new UnexpectedCheck()
  return `master chain block ${seqno}`
}

interface ChainInfo {
  last?: { seqno?: number }
}
