import type { UpstreamRecord } from '@fairlead/gateway-core/grants/parse-upstreams'
import type { UpstreamCheck } from '@fairlead/gateway-core/protocol/module'
import { checkTarget, fetchCheck, UnexpectedCheck } from '@fairlead/gateway-core/upstream/check-upstream'
import { WebSocket } from 'ws'
import { createUpstreamJwt, readJwtSecret } from './upstream/upstream-jwt.ts'

/** Checks whether an upstream reports its chain, or accepts a WebSocket. */
export function checkUpstream(
  recordName: string,
  upstream: UpstreamRecord,
  timeoutMs: number,
): Promise<UpstreamCheck> {
  return recordName === 'websocket' ? checkWebSocket(upstream, timeoutMs) : checkHttp(upstream, timeoutMs)
}

async function checkHttp(upstream: UpstreamRecord, timeoutMs: number): Promise<UpstreamCheck> {
  const call = async (method: string): Promise<unknown> => {
    const body = { jsonrpc: '2.0', id: 1, method, params: [] }
    const authorization = authorizationOf(upstream)
    const response = (await fetchCheck(upstream, timeoutMs, { body, authorization })) as {
      result?: unknown
    } | null
    if (response?.result === undefined) throw new UnexpectedCheck()
    return response.result
  }
  const chain = await call('eth_chainId')
  const syncing = await call('eth_syncing')
  if (syncing !== false) return { warning: `chain ${String(chain)}, the upstream is still syncing` }
  return `chain ${String(chain)}`
}

function checkWebSocket(upstream: UpstreamRecord, timeoutMs: number): Promise<UpstreamCheck> {
  return new Promise((resolve, reject) => {
    const { url, headers } = checkTarget(upstream, { authorization: authorizationOf(upstream) })
    const socket = new WebSocket(url, { headers, handshakeTimeout: timeoutMs })
    socket.once('open', () => {
      resolve('accepts connections')
      socket.terminate()
    })
    socket.once('error', reject)
  })
}

function authorizationOf({ jwtSecretFile }: UpstreamRecord): string | undefined {
  if (jwtSecretFile === undefined) return undefined
  return createUpstreamJwt(readJwtSecret(jwtSecretFile)).current().authorization
}
