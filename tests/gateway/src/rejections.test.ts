import { describe, expect, it, onTestFinished } from 'vitest'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { grpcInFrontOf, xToken } from '@fairlead/gateway-grpc/testing/grpc-fixture'
import { grpcJs } from '@fairlead/gateway-grpc/testing/grpc-js-client'
import { grpcNode } from '@fairlead/gateway-grpc/testing/grpc-node'
import { beaconInFrontOf, beaconToken } from '@fairlead/gateway-beacon/testing/beacon-fixture'
import { jettonToken, listenToJetton } from '@fairlead/gateway-jetton/testing/jetton-fixture'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, token } from '@fairlead/gateway-evm/testing/listener-fixture'
import type { AuthenticatorChoices } from '@fairlead/gateway-core/testing/test-authenticator'
import { openWebSocket, rejectedHandshake } from '@fairlead/gateway-core/testing/websocket-client'

interface Kind {
  readonly name: string
  readonly grant?: Partial<Grant>
  readonly passing?: AuthenticatorChoices
  readonly secret?: string
  /** Number of calls before the rejected one. */
  readonly before?: number
  readonly status: number
  readonly code: number
  readonly data?: unknown
  readonly retryAfter?: true
  readonly grpc: number
  /** Whether the rejection happens before a connection or a stream is open. */
  readonly isBeforeAuthorization: boolean
}

const rule = (kind: 'origin' | 'ip' | 'method', value: string) =>
  [{ kind, value, action: kind === 'origin' ? 'allow' : 'deny' }] as const

const kinds: readonly Kind[] = [
  {
    name: 'an unknown credential',
    secret: 'c4n4ry',
    status: 401,
    code: -32041,
    grpc: 16,
    isBeforeAuthorization: true,
  },
  {
    name: 'an unknown credential above the limit',
    secret: 'c4n4ry',
    passing: { maxFailures: 1 },
    before: 1,
    status: 429,
    code: -32005,
    retryAfter: true,
    grpc: 8,
    isBeforeAuthorization: true,
  },
  {
    name: 'a protocol that the node does not offer',
    grant: { protocols: [] },
    status: 404,
    code: -32600,
    grpc: 7,
    isBeforeAuthorization: true,
  },
  {
    name: 'an origin that no rule allows',
    grant: { accessRules: rule('origin', 'https://other.example') },
    status: 403,
    code: -32600,
    data: { rule: 'origin' },
    grpc: 7,
    isBeforeAuthorization: true,
  },
  {
    name: 'an IP address that a rule denies',
    grant: { accessRules: rule('ip', '127.0.0.0/8') },
    status: 403,
    code: -32600,
    data: { rule: 'ip' },
    grpc: 7,
    isBeforeAuthorization: true,
  },
  {
    name: 'a method that a rule denies',
    grant: { accessRules: rule('method', '*') },
    status: 403,
    code: -32600,
    data: { rule: 'method' },
    grpc: 7,
    isBeforeAuthorization: false,
  },
  {
    name: 'a call above the rate limit',
    grant: { limits: { credential: { rate: { requestsPerSecond: 0.01, burst: 1 } } } },
    before: 1,
    status: 429,
    code: -32005,
    data: { reason: 'rate', limit: 0.01, window_ms: 1_000, retry_after_ms: expect.any(Number) },
    retryAfter: true,
    grpc: 8,
    isBeforeAuthorization: false,
  },
  {
    name: 'a call above the quota',
    grant: { limits: { project: { requestsPerDay: 0 } } },
    status: 403,
    code: -32600,
    data: { reason: 'quota', resets_at: expect.stringMatching(/T00:00:00\.000Z$/) },
    grpc: 8,
    isBeforeAuthorization: false,
  },
  {
    name: 'a call without a free concurrency slot',
    grant: { limits: { node: { maxConcurrentCalls: 0 } } },
    passing: { queueMs: 20 },
    status: 503,
    code: -32005,
    data: { reason: 'busy', retry_after_ms: 1_000 },
    retryAfter: true,
    grpc: 8,
    isBeforeAuthorization: false,
  },
]

const respondWith = (body: unknown) =>
  startTestNode((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })

const optionsOf = ({ grant = {}, passing = {} }: Kind) => ({ grant, passing })
const repeat = async <result>({ before = 0 }: Kind, send: () => Promise<result>): Promise<result> => {
  for (let index = 0; index < before; index++) await send()
  return send()
}
const retryAfterOf = (response: Response) => Number(response.headers.get('retry-after') ?? 0)
const expectRetry = ({ retryAfter }: Kind, seconds: number) => {
  if (retryAfter === undefined) expect(seconds).toBe(0)
  else expect(seconds >= 1 && seconds <= 60 && Number.isInteger(seconds)).toBe(true)
}

describe.each(kinds)('$name is rejected', (kind) => {
  it('over JSON-RPC', async () => {
    const gateway = await inFrontOf(
      await respondWith({ jsonrpc: '2.0', id: 1, result: '0x1' }),
      optionsOf(kind),
    )
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    const send = () => fetch(`${gateway.url}/${kind.secret ?? token}`, { method: 'POST', body })
    const response = await repeat(kind, send)
    expect(response.status).toBe(kind.status)
    expectRetry(kind, retryAfterOf(response))
    expect(response.headers.has('www-authenticate')).toBe(kind.status === 401)
    const { id, error } = (await response.json()) as { id: unknown; error: { data?: unknown } }
    expect(id).toBe(kind.isBeforeAuthorization ? null : 1)
    expect(error).toEqual({
      code: kind.code,
      message: expect.any(String),
      ...(kind.data !== undefined && { data: kind.data }),
    })
    expect(gateway.log()).not.toContain('c4n4ry')
  })

  it.skipIf(kind.isBeforeAuthorization)('in a batch, call by call', async () => {
    const gateway = await inFrontOf(
      await respondWith({ jsonrpc: '2.0', id: 1, result: '0x1' }),
      optionsOf(kind),
    )
    const ids = [1, 2].slice(0, 1 + (kind.before ?? 0))
    const body = JSON.stringify(ids.map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })))
    const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body })
    expect(response.status).toBe(200)
    const responses = (await response.json()) as { error?: { code: number; data: unknown } }[]
    expect(responses).toHaveLength(ids.length)
    expect(responses.at(-1)?.error).toMatchObject({ code: kind.code, data: kind.data })
  })

  it('over a WebSocket', async () => {
    const gateway = await inFrontOf(
      await respondWith({ jsonrpc: '2.0', id: 1, result: '0x1' }),
      optionsOf(kind),
    )
    const url = gateway.wsUrl.replace(token, kind.secret ?? token)
    if (kind.isBeforeAuthorization) {
      const rejected = await repeat(kind, () => rejectedHandshake(url))
      expect(rejected.status).toBe(kind.status)
      expectRetry(kind, Number(rejected.headers['retry-after'] ?? 0))
      expect(rejected.body).toMatchObject({ error: { code: kind.code } })
      return
    }
    const client = await openWebSocket(url)
    onTestFinished(() => client.socket.terminate())
    const { error } = await repeat(kind, () => client.call('eth_chainId'))
    expect(error).toMatchObject({ code: kind.code, data: kind.data })
  })

  it('by the beacon node API', async () => {
    const gateway = await beaconInFrontOf(await respondWith({ data: {} }), optionsOf(kind))
    const endpoint = `${gateway.url}/beacon/${kind.secret ?? beaconToken}/eth/v1/node/syncing`
    const response = await repeat(kind, () => fetch(endpoint))
    expect(await response.json()).toEqual({ code: kind.status, message: expect.any(String) })
    expect(response.status).toBe(kind.status)
    expectRetry(kind, retryAfterOf(response))
  })

  // An event stream uses no concurrency slot, and an accepted one has no end.
  it.skipIf(kind.status === 503 || kind.before !== undefined)('by a stream of events', async () => {
    const gateway = await beaconInFrontOf(await respondWith({ data: {} }), optionsOf(kind))
    const endpoint = `${gateway.url}/beacon/${kind.secret ?? beaconToken}/eth/v1/events?topics=head`
    const response = await fetch(endpoint, { headers: { accept: 'text/event-stream' } })
    expect(await response.json()).toEqual({ code: kind.status, message: expect.any(String) })
    expect(response.status).toBe(kind.status)
  })

  it.each(['GET', 'JSON-RPC'])('by the jetton chain API with %s', async (form) => {
    const gateway = await listenToJetton(await respondWith({ ok: true, result: {} }), optionsOf(kind))
    onTestFinished(gateway.stop)
    const endpoint = `${gateway.url}/${kind.secret ?? jettonToken}/api/v2`
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'getMasterchainInfo', params: {} })
    const send = () =>
      form === 'GET'
        ? fetch(`${endpoint}/getMasterchainInfo`)
        : fetch(`${endpoint}/jsonRPC`, { method: 'POST', body })
    const response = await repeat(kind, send)
    const errorBody: unknown = await response.json()
    expect(errorBody).toEqual({
      ok: false,
      error: expect.any(String),
      code: kind.status,
      ...(form === 'JSON-RPC' && !kind.isBeforeAuthorization && { jsonrpc: '2.0', id: 7 }),
    })
    expect(response.status).toBe(kind.status)
    expectRetry(kind, retryAfterOf(response))
  })

  it('over gRPC', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url, optionsOf(kind))
    const client = grpcJs(gateway.url, kind.secret ?? xToken)
    const { status } = await repeat(kind, () => client.one('a'))
    expect(status).toMatchObject({ code: kind.grpc })
    const pushback = Number(status.metadata.get('grpc-retry-pushback-ms')[0] ?? 0)
    expect(pushback > 0).toBe(kind.retryAfter === true)
    expect(gateway.log()).not.toContain('c4n4ry')
  })

  it('over gRPC-web', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url, optionsOf(kind))
    const headers = { 'content-type': 'application/grpc-web+proto', 'x-token': kind.secret ?? xToken }
    const send = () => fetch(`${gateway.url}/test.Test/One`, { method: 'POST', headers, body: '\0\0\0\0\0' })
    const response = await repeat(kind, send)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(`grpc-status: ${kind.grpc}`)
  })
})
