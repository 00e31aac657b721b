import { describe, expect, it, onTestFinished } from 'vitest'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { grpcInFrontOf, xToken } from '@fairlead/gateway-grpc/testing/grpc-fixture'
import { grpcJs } from '@fairlead/gateway-grpc/testing/grpc-js-client'
import { grpcNode } from '@fairlead/gateway-grpc/testing/grpc-node'
import { beaconInFrontOf, beaconToken } from '@fairlead/gateway-beacon/testing/beacon-fixture'
import { jettonToken, listenToJetton } from '@fairlead/gateway-jetton/testing/jetton-fixture'
import { nodeThat } from '@fairlead/gateway-core/testing/serve'
import { inFrontOf, token } from '@fairlead/gateway-evm/testing/listener-fixture'
import type { AuthenticatorChoices } from '@fairlead/gateway-core/testing/test-authenticator'
import { openWebSocket, refusedHandshake } from '@fairlead/gateway-core/testing/websocket-client'

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
  readonly atDoor: boolean
}

const rule = (kind: 'origin' | 'ip' | 'method', value: string) =>
  [{ kind, value, action: kind === 'origin' ? 'allow' : 'deny' }] as const

const kinds: readonly Kind[] = [
  { name: 'an unknown credential', secret: 'c4n4ry', status: 401, code: -32041, grpc: 16, atDoor: true },
  {
    name: 'one unknown credential too many',
    secret: 'c4n4ry',
    passing: { maxFailures: 1 },
    before: 1,
    status: 429,
    code: -32005,
    retryAfter: true,
    grpc: 8,
    atDoor: true,
  },
  {
    name: 'a protocol that the node does not offer',
    grant: { protocols: [] },
    status: 404,
    code: -32600,
    grpc: 7,
    atDoor: true,
  },
  {
    name: 'an origin that no rule allows',
    grant: { accessRules: rule('origin', 'https://other.example') },
    status: 403,
    code: -32600,
    data: { rule: 'origin' },
    grpc: 7,
    atDoor: true,
  },
  {
    name: 'an address that a rule denies',
    grant: { accessRules: rule('ip', '127.0.0.0/8') },
    status: 403,
    code: -32600,
    data: { rule: 'ip' },
    grpc: 7,
    atDoor: true,
  },
  {
    name: 'a method that a rule denies',
    grant: { accessRules: rule('method', '*') },
    status: 403,
    code: -32600,
    data: { rule: 'method' },
    grpc: 7,
    atDoor: false,
  },
  {
    name: 'a call too fast',
    grant: { limits: { credential: { rate: { requestsPerSecond: 0.01, burst: 1 } } } },
    before: 1,
    status: 429,
    code: -32005,
    data: { reason: 'rate', limit: 0.01, window_ms: 1_000, retry_after_ms: expect.any(Number) },
    retryAfter: true,
    grpc: 8,
    atDoor: false,
  },
  {
    name: 'a call beyond a quota',
    grant: { limits: { project: { requestsPerDay: 0 } } },
    status: 403,
    code: -32600,
    data: { reason: 'quota', resets_at: expect.stringMatching(/T00:00:00\.000Z$/) },
    grpc: 8,
    atDoor: false,
  },
  {
    name: 'a call without a place',
    grant: { limits: { node: { maxConcurrentCalls: 0 } } },
    passing: { queueMs: 20 },
    status: 503,
    code: -32005,
    data: { reason: 'busy', retry_after_ms: 1_000 },
    retryAfter: true,
    grpc: 8,
    atDoor: false,
  },
]

const answering = (body: unknown) =>
  nodeThat((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })

const given = ({ grant = {}, passing = {} }: Kind) => ({ grant, passing })
const repeat = async <result>({ before = 0 }: Kind, send: () => Promise<result>): Promise<result> => {
  for (let index = 0; index < before; index++) await send()
  return send()
}
const retryAfterOf = (response: Response) => Number(response.headers.get('retry-after') ?? 0)
const expectRetry = ({ retryAfter }: Kind, seconds: number) => {
  if (retryAfter === undefined) expect(seconds).toBe(0)
  else expect(seconds >= 1 && seconds <= 60 && Number.isInteger(seconds)).toBe(true)
}

describe.each(kinds)('$name is refused', (kind) => {
  it('over JSON-RPC', async () => {
    const gateway = await inFrontOf(await answering({ jsonrpc: '2.0', id: 1, result: '0x1' }), given(kind))
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
    const send = () => fetch(`${gateway.url}/${kind.secret ?? token}`, { method: 'POST', body })
    const response = await repeat(kind, send)
    expect(response.status).toBe(kind.status)
    expectRetry(kind, retryAfterOf(response))
    expect(response.headers.has('www-authenticate')).toBe(kind.status === 401)
    const { id, error } = (await response.json()) as { id: unknown; error: { data?: unknown } }
    expect(id).toBe(kind.atDoor ? null : 1)
    expect(error).toEqual({
      code: kind.code,
      message: expect.any(String),
      ...(kind.data !== undefined && { data: kind.data }),
    })
    expect(gateway.log()).not.toContain('c4n4ry')
  })

  it.skipIf(kind.atDoor)('in a batch, call by call', async () => {
    const gateway = await inFrontOf(await answering({ jsonrpc: '2.0', id: 1, result: '0x1' }), given(kind))
    const ids = [1, 2].slice(0, 1 + (kind.before ?? 0))
    const body = JSON.stringify(ids.map((id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId', params: [] })))
    const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body })
    expect(response.status).toBe(200)
    const answers = (await response.json()) as { error?: { code: number; data: unknown } }[]
    expect(answers).toHaveLength(ids.length)
    expect(answers.at(-1)?.error).toMatchObject({ code: kind.code, data: kind.data })
  })

  it('over a WebSocket', async () => {
    const gateway = await inFrontOf(await answering({ jsonrpc: '2.0', id: 1, result: '0x1' }), given(kind))
    const url = gateway.wsUrl.replace(token, kind.secret ?? token)
    if (kind.atDoor) {
      const refused = await repeat(kind, () => refusedHandshake(url))
      expect(refused.status).toBe(kind.status)
      expectRetry(kind, Number(refused.headers['retry-after'] ?? 0))
      expect(refused.body).toMatchObject({ error: { code: kind.code } })
      return
    }
    const client = await openWebSocket(url)
    onTestFinished(() => client.socket.terminate())
    const { error } = await repeat(kind, () => client.call('eth_chainId'))
    expect(error).toMatchObject({ code: kind.code, data: kind.data })
  })

  it('by the beacon node API', async () => {
    const gateway = await beaconInFrontOf(await answering({ data: {} }), given(kind))
    const at = `${gateway.url}/beacon/${kind.secret ?? beaconToken}/eth/v1/node/syncing`
    const response = await repeat(kind, () => fetch(at))
    expect(await response.json()).toEqual({ code: kind.status, message: expect.any(String) })
    expect(response.status).toBe(kind.status)
    expectRetry(kind, retryAfterOf(response))
  })

  // An event stream uses no concurrency slot, and an accepted one has no end.
  it.skipIf(kind.status === 503 || kind.before !== undefined)('by a stream of events', async () => {
    const gateway = await beaconInFrontOf(await answering({ data: {} }), given(kind))
    const at = `${gateway.url}/beacon/${kind.secret ?? beaconToken}/eth/v1/events?topics=head`
    const response = await fetch(at, { headers: { accept: 'text/event-stream' } })
    expect(await response.json()).toEqual({ code: kind.status, message: expect.any(String) })
    expect(response.status).toBe(kind.status)
  })

  it.each(['GET', 'JSON-RPC'])('by the jetton chain API with %s', async (form) => {
    const gateway = await listenToJetton(await answering({ ok: true, result: {} }), given(kind))
    onTestFinished(gateway.stop)
    const at = `${gateway.url}/${kind.secret ?? jettonToken}/api/v2`
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'getMasterchainInfo', params: {} })
    const send = () =>
      form === 'GET' ? fetch(`${at}/getMasterchainInfo`) : fetch(`${at}/jsonRPC`, { method: 'POST', body })
    const response = await repeat(kind, send)
    const answer: unknown = await response.json()
    expect(answer).toEqual({
      ok: false,
      error: expect.any(String),
      code: kind.status,
      ...(form === 'JSON-RPC' && !kind.atDoor && { jsonrpc: '2.0', id: 7 }),
    })
    expect(response.status).toBe(kind.status)
    expectRetry(kind, retryAfterOf(response))
  })

  it('over gRPC', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url, given(kind))
    const client = grpcJs(gateway.url, kind.secret ?? xToken)
    const { status } = await repeat(kind, () => client.one('a'))
    expect(status).toMatchObject({ code: kind.grpc })
    const pushback = Number(status.metadata.get('grpc-retry-pushback-ms')[0] ?? 0)
    expect(pushback > 0).toBe(kind.retryAfter === true)
    expect(gateway.log()).not.toContain('c4n4ry')
  })

  it('over gRPC-web', async () => {
    const gateway = await grpcInFrontOf((await grpcNode()).url, given(kind))
    const headers = { 'content-type': 'application/grpc-web+proto', 'x-token': kind.secret ?? xToken }
    const send = () => fetch(`${gateway.url}/test.Test/One`, { method: 'POST', headers, body: '\0\0\0\0\0' })
    const response = await repeat(kind, send)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain(`grpc-status: ${kind.grpc}`)
  })
})
