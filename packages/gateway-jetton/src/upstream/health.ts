import { collectBody } from '@fairlead/gateway-core/http/collect-body'
import { isRecord, parseJson } from '@fairlead/gateway-core/json'
import type { RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import type { RestPoolOptions } from '@fairlead/gateway-core/rest/rest-pool'
import type { UpstreamHealth } from '@fairlead/gateway-core/upstream/steady-pool'
import type { JettonFamily } from '../operations/operations.ts'

const targets: Readonly<Record<JettonFamily, string>> = {
  v2: '/api/v2/getMasterchainInfo',
  v3: '/api/v3/masterchainInfo',
}

const maxBytes = 65_536

/**
 * Makes what asks an upstream for its newest masterchain block.
 *
 * @see operations getMasterchainInfo of both families
 */
export function healthReader(family: JettonFamily): RestPoolOptions['readHealth'] {
  return async (upstream, signal) => {
    const call = {
      method: 'GET',
      target: targets[family],
      headers: { accept: 'application/json' },
      signal,
    } as const
    const info = await jsonOf(upstream, call)
    const { last } = isRecord(info) && isRecord(info['result']) ? info['result'] : (info as UpstreamInfo)
    const head = isRecord(last) ? Number(last['seqno']) : Number.NaN
    if (!Number.isSafeInteger(head)) throw new Error('The upstream does not say where its head is.')
    return { head } satisfies UpstreamHealth
  }
}

interface UpstreamInfo {
  readonly last?: unknown
}

async function jsonOf(
  upstream: RestUpstream,
  call: Parameters<RestUpstream['request']>[0],
): Promise<unknown> {
  const response = await upstream.request(call)
  if (!('body' in response))
    throw new Error(`The upstream answered HTTP ${response.status} about its health.`)
  let total = 0
  const bytes = await collectBody(response.body, (length) => {
    total += length
    if (total > maxBytes) throw new Error('The upstream says too much about its health.')
  })
  return parseJson(bytes.toString('utf8')) ?? {}
}
