import { inspect } from 'node:util'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import {
  type RequestHandler,
  unusedUrl,
  type HttpServer,
  sendJson,
  startHttpServer,
} from '@fairlead/vitest/http-server'
import {
  createJettonV2Client,
  FairleadError,
  isRateLimited,
  type FailoverOptions,
  failover,
  unwrap,
} from '../v2.ts'
import { createJettonV3Client } from '../v3.ts'

const path = '/api/v2/getConfigParam'
const param = { config_id: 15, value: {} }
const auth = (token: string) => ({ kind: 'token', token }) as const
const servers: HttpServer[] = []

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(() => Promise.all(servers.map((server) => server.close())))

async function started(handler: RequestHandler): Promise<HttpServer> {
  const server = await startHttpServer(handler)
  servers.push(server)
  return server
}

const respondOk: RequestHandler = (_, response) => sendJson(response, param)
const respondAccepted: RequestHandler = (_, response) =>
  sendJson(response, { ok: true, result: { '@type': 'ok' } })
const withStatus =
  (status: number, headers: Record<string, string> = {}): RequestHandler =>
  (_, response) =>
    sendJson(response, { ok: false, error: 'no', code: status }, status, headers)
const breaking: RequestHandler = (_, response) => void response.destroy()
const neverRespond: RequestHandler = () => {}

const first =
  (count: number, handler: RequestHandler, then: RequestHandler): RequestHandler =>
  (request, response, number) =>
    (number <= count ? handler : then)(request, response, number)

function optionsOf(urls: readonly string[], options: FailoverOptions = {}) {
  const nodes = urls.map((url, index) => ({ url, auth: auth(`s3cr3t-${index}`) }))
  return { transport: failover(nodes, options) }
}

const get = (urls: readonly string[], options?: FailoverOptions) =>
  unwrap(createJettonV2Client(optionsOf(urls, options)).GET(path, { params: { query: { config_id: 15 } } }))

async function failure(call: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!FairleadError.is(error)) throw new Error('expected a Fairlead error', { cause: error })
  return error
}

describe('a call that reads', () => {
  it.each([408, 429, 500, 501, 502, 503, 504])('uses the next node after status %i', async (status) => {
    const [one, two] = [await started(withStatus(status)), await started(respondOk)]
    expect(await get([one.url, two.url])).toEqual(param)
    expect([one.requests.length, two.requests.length]).toEqual([1, 1])
    expect(two.requests[0]?.url).toBe(`/s3cr3t-1${path}?config_id=15`)
  })

  it.each([400, 401, 404, 409, 422, 533, 542])('returns status %i as the response', async (status) => {
    const [one, two] = [await started(withStatus(status)), await started(respondOk)]
    expect(await failure(get([one.url, two.url]))).toMatchObject({ details: { status } })
    expect(two.requests).toHaveLength(0)
  })

  it.each<[string, RequestHandler | undefined, timeoutMs?: number]>([
    ['a refused connection', undefined],
    ['a connection that breaks', breaking],
    [
      'a body that breaks',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' })
        response.write('{', () => response.destroy())
      },
    ],
    ['silence', neverRespond, 200],
  ])('uses the next node after %s', async (_, handler, timeoutMs) => {
    const url = handler ? (await started(handler)).url : unusedUrl()
    expect(await get([url, (await started(respondOk)).url], { timeoutMs })).toEqual(param)
  })

  it('tries every node once, regardless of the retries, and then throws the last failure', async () => {
    const nodes = await Promise.all([500, 501, 503].map((status) => started(withStatus(status))))
    const call = get(
      nodes.map(({ url }) => url),
      { retries: 0 },
    )
    expect(await failure(call)).toMatchObject({ details: { status: 503 } })
    expect(nodes.map(({ requests }) => requests.length)).toEqual([1, 1, 1])
  })

  it('retries all nodes while retries remain', async () => {
    const respondUnhealthy = withStatus(503, { 'retry-after': '0' })
    const [one, two] = [await started(respondUnhealthy), await started(first(1, respondUnhealthy, respondOk))]
    expect(await get([one.url, two.url])).toEqual(param)
  })

  it('can be a POST, whose body each node receives completely', async () => {
    const [one, two] = [
      await started(withStatus(503)),
      await started((_, response) => sendJson(response, { ok: true, jsonrpc: '2.0', id: 1, result: param })),
    ]
    const jetton = createJettonV2Client(optionsOf([one.url, two.url]))
    expect(await jetton.call({ method: 'getConfigParam', params: { config_id: 15 } })).toEqual(param)
    const body = { jsonrpc: '2.0', id: 1, method: 'getConfigParam', params: { config_id: 15 } }
    expect(two.requests.map((request) => JSON.parse(request.body.toString()) as unknown)).toEqual([body])
  })

  it('counts its attempts', async () => {
    const error = await failure(get([unusedUrl(), unusedUrl(3)], { retries: 0 }))
    expect(error).toMatchObject({ code: 'TRANSPORT_FAILED', details: { attempt: 2 } })
  })
})

describe('a call that changes state', () => {
  const body = { boc: 'te6cckEBAQEAAgAAAEysuc0=' }
  const acts: [string, (options: ReturnType<typeof optionsOf>) => Promise<unknown>][] = [
    [
      'by its path',
      (options) => unwrap(createJettonV2Client(options).POST('/api/v2/sendBocReturnHash', { body })),
    ],
    ['by JSON-RPC', (options) => createJettonV2Client(options).call({ method: 'sendBoc', params: body })],
    ['in v3', (options) => unwrap(createJettonV3Client(options).POST('/api/v3/message', { body }))],
  ]

  describe.each(acts)('%s', (_, act) => {
    it.each<[string, RequestHandler, timeoutMs?: number]>([
      ['status 503', withStatus(503)],
      ['status 429', withStatus(429)],
      ['a broken connection', breaking],
      ['silence', neverRespond, 200],
    ])('is not retried after %s', async (_case, handler, timeoutMs) => {
      const [one, two] = [await started(handler), await started(respondAccepted)]
      await failure(act(optionsOf([one.url, two.url], { timeoutMs })))
      expect([one.requests.length, two.requests.length]).toEqual([1, 0])
    })

    it('uses the next node when the connection is refused', async () => {
      const two = await started(respondAccepted)
      await act(optionsOf([unusedUrl(), two.url]))
      expect(two.requests.map((request) => request.body.toString())).toEqual([
        expect.stringContaining(body.boc),
      ])
    })
  })
})

describe('a node that rejects requests temporarily', () => {
  // In memory, because the fake clock of these tests also stops sockets.
  function fetchReturning(...responses: readonly Response[]) {
    let sent = 0
    const fetch: typeof globalThis.fetch = () => Promise.resolve(responses[sent++] ?? Response.json(param))
    return { call: get(['https://node.example.com'], { fetch }), sent: () => sent }
  }
  const refusal = (status: number, headers?: Record<string, string>) =>
    new Response('{}', { status, ...(headers && { headers }) })

  it.each<[string, () => Record<string, string>]>([
    ['for the seconds', () => ({ 'retry-after': '7' })],
    ['until the time', () => ({ 'retry-after': new Date(Date.now() + 7_000).toUTCString() })],
  ])('is not used %s that it requests', async (_, headers) => {
    vi.useFakeTimers({ now: 1_772_979_600_000 })
    const { call, sent } = fetchReturning(refusal(429, headers()))
    await vi.advanceTimersByTimeAsync(6_999)
    expect(sent()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await call).toEqual(param)
    expect(sent()).toBe(2)
  })

  it('is retried after an increasing random delay when it requests none', async () => {
    vi.useFakeTimers()
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const { call, sent } = fetchReturning(refusal(429), refusal(503))
    for (const [afterMs, count] of [
      [99, 1],
      [1, 2],
      [199, 2],
      [1, 3],
    ] as const) {
      await vi.advanceTimersByTimeAsync(afterMs)
      expect(sent()).toBe(count)
    }
    expect(await call).toEqual(param)
  })

  it('is awaited for at most a minute', async () => {
    const only = await started(withStatus(429, { 'retry-after': '3600' }))
    const error = await failure(get([only.url]))
    expect(isRateLimited(error)).toBe(true)
    expect(only.requests).toHaveLength(1)
  })

  it.each<[string, unknown]>([
    ['in the format of rate limiters', { ok: false, result: 'Ratelimit exceed', code: 429 }],
    ['in the format of v2', { ok: false, error: 'Ratelimit exceed', code: 429 }],
    ['in the format of v3', { error: 'Ratelimit exceed' }],
    ['as text', 'Ratelimit exceed'],
  ])('has an error message, %s', async (_, body) => {
    const only = await started((_request, response) => {
      if (typeof body === 'string') response.writeHead(429).end(body)
      else sendJson(response, body, 429)
    })
    const error = await failure(get([only.url], { retries: 0 }))
    expect(error.details).toMatchObject({ status: 429, detail: 'Ratelimit exceed' })
  })

  it('moves the message of a rate limiter to the specified field', async () => {
    const only = await started((_, response) =>
      sendJson(response, { ok: false, result: 'Ratelimit exceed', code: 429 }, 429),
    )
    const jetton = createJettonV2Client(optionsOf([only.url], { retries: 0 }))
    const { error } = await jetton.GET(path, { params: { query: { config_id: 15 } } })
    expect(error).toEqual({ ok: false, error: 'Ratelimit exceed', code: 429 })
  })
})

describe('a node that failed', () => {
  it('is placed after the others, and is probed by one call after its cool-down', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const [one, two] = [await started(first(2, withStatus(503), respondOk)), await started(respondOk)]
    const jetton = createJettonV2Client(optionsOf([one.url, two.url]))
    const call = () => unwrap(jetton.GET(path, { params: { query: { config_id: 15 } } }))
    await call()
    await call()
    expect([one.requests.length, two.requests.length]).toEqual([1, 2])
    vi.setSystemTime(Date.now() + 1_001)
    await Promise.all([call(), call(), call()])
    expect([one.requests.length, two.requests.length]).toEqual([2, 5])
    vi.setSystemTime(Date.now() + 2_001)
    await call()
    await call()
    expect([one.requests.length, two.requests.length]).toEqual([4, 5])
  })

  it('is not a node that has no result for a call', async () => {
    const [one, two] = [await started(first(1, withStatus(500), respondOk)), await started(respondOk)]
    const jetton = createJettonV2Client(optionsOf([one.url, two.url]))
    for (let call = 0; call < 2; call++)
      await unwrap(jetton.GET(path, { params: { query: { config_id: 15 } } }))
    expect([one.requests.length, two.requests.length]).toEqual([2, 1])
  })
})

it('ends with the reason of the signal, also during a delay', async () => {
  const only = await started(withStatus(503, { 'retry-after': '30' }))
  const jetton = createJettonV2Client(optionsOf([only.url]))
  const reason = new Error('enough')
  const controller = new AbortController()
  const call = jetton.GET(path, { params: { query: { config_id: 15 } }, signal: controller.signal })
  await vi.waitFor(() => expect(only.requests).toHaveLength(1), 20_000)
  controller.abort(reason)
  await expect(call).rejects.toBe(reason)
})

it('exposes no secret of any node', async () => {
  const leaky: RequestHandler = (_, response) =>
    sendJson(response, { ok: false, result: 's3cr3t-0 and s3cr3t-1', code: 400 }, 400)
  const urls = [unusedUrl(), (await started(leaky)).url]
  const jetton = createJettonV2Client(optionsOf(urls))
  const shown = [await failure(get(urls)), await failure(get(urls.slice(0, 1), { retries: 0 })), jetton]
  const forms = [
    inspect(shown, { depth: null, showHidden: true }),
    JSON.stringify(shown),
    shown.map(String).join(),
  ]
  expect(forms.join()).not.toContain('s3cr3t')
})

it('is shared by the clients of the transport', async () => {
  vi.useFakeTimers()
  let sent = 0
  const fetch: typeof globalThis.fetch = () => {
    sent += 1
    return Promise.resolve(Response.json({ ok: true, result: {} }))
  }
  const options = optionsOf(['https://node.example.com'], { fetch, rateLimit: { perSecond: 2, burst: 1 } })
  const v2 = createJettonV2Client(options)
  const v3 = createJettonV3Client(options)
  const calls = [
    v3.GET('/api/v3/masterchainInfo'),
    v2.call({ method: 'getMasterchainInfo' }),
    v3.GET('/api/v3/masterchainInfo'),
  ]
  await vi.advanceTimersByTimeAsync(499)
  expect(sent).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(sent).toBe(2)
  await vi.advanceTimersByTimeAsync(500)
  await Promise.all(calls)
  expect(sent).toBe(3)
})

describe('invalid options', () => {
  const node = { url: 'https://node.example.com', auth: auth('t') }
  it.each<[string, () => unknown]>([
    ['nodes', () => failover([])],
    ['nodes[1].url', () => failover([node, { ...node, url: 'node.example.com' }])],
    ['nodes[1].auth', () => failover([node, { ...node, auth: auth('') }])],
    ['url', () => failover({ ...node, url: '' })],
    ['timeoutMs', () => failover(node, { timeoutMs: 2 ** 31 })],
    ['timeoutMs', () => failover(node, { timeoutMs: -1 })],
    ['retries', () => failover(node, { retries: Number.NaN })],
    ['rateLimit.perSecond', () => failover(node, { rateLimit: { perSecond: 0 } })],
    ['rateLimit.perSecond', () => failover(node, { rateLimit: { perSecond: Number.NaN } })],
    ['rateLimit.burst', () => failover(node, { rateLimit: { perSecond: 1, burst: 0 } })],
    ['url', () => createJettonV2Client({ ...node, url: '' })],
    ['url', () => createJettonV3Client({ ...node, url: '' })],
    ['auth', () => createJettonV3Client({ ...node, auth: auth('') })],
  ])('are reported by name: %s', (option, create) => {
    expect(create).toThrow(`Invalid value of ${option}: `)
  })
})
