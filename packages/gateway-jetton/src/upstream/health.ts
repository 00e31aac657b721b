import type { CancellationSignal } from '@fairlead/runtime'
import { isRecord } from '@fairlead/gateway-core/json'
import { readShortJson } from '@fairlead/gateway-core/rest/read-short-json'
import type { RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import type { RestPoolOptions } from '@fairlead/gateway-core/rest/rest-pool'
import type { JettonFamily } from '../operations/operations.ts'

const targets: Readonly<Record<JettonFamily, string>> = {
  v2: '/api/v2/getMasterchainInfo',
  v3: '/api/v3/masterchainInfo',
}

/**
 * The rules of the health of the upstreams of a family, and its probe: the latest masterchain block.
 *
 * @see operations getMasterchainInfo of both families
 */
export function healthChecks(family: JettonFamily): Pick<RestPoolOptions, 'rules' | 'probe'> {
  const readHead = async (upstream: RestUpstream, signal: CancellationSignal): Promise<number> => {
    const content = await readShortJson(upstream, targets[family], signal)
    // Family v2 has an envelope.
    const info = family === 'v2' && isRecord(content) ? content['result'] : content
    const last = isRecord(info) ? info['last'] : undefined
    const head = isRecord(last) ? Number(last['seqno']) : Number.NaN
    if (!Number.isSafeInteger(head)) throw new Error('The response has no masterchain block.')
    return head
  }
  return {
    rules: [
      async ({ upstream }, health, signal) => {
        health.head = await readHead(upstream.connection, signal())
      },
    ],
    probe: readHead,
  }
}
