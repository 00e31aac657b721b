import { inspect } from 'node:util'
import type { HttpOptions } from '@fairlead/core'
import { watchStartedTimers } from '@fairlead/vitest/started-timers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBeaconClient, failover, FairleadError, unwrap } from '../index.ts'
import {
  type RequestHandler,
  unusedUrl,
  type HttpServer,
  sendJson,
  startHttpServer,
} from '@fairlead/vitest/http-server'

const path = '/eth/v1/debug/fork_choice'
const auth = (token: string) => ({ kind: 'token', token }) as const
const servers: HttpServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function started(handler: RequestHandler): Promise<HttpServer> {
  const server = await startHttpServer(handler)
  servers.push(server)
  return server
}

const respondOk: RequestHandler = (_, response) => sendJson(response, { fork_choice_nodes: [] })
const withStatus =
  (status: number, headers: Record<string, string> = {}): RequestHandler =>
  (_, response) =>
    sendJson(response, { code: status, message: 'no' }, status, headers)

function clientOf(urls: readonly string[], options: HttpOptions = {}) {
  const nodes = urls.map((url, index) => ({ url, auth: auth(`s3cr3t-${index}`) }))
  return createBeaconClient({ transport: failover(nodes, options) })
}

// The specification has these paths; this test does not need their types.
const post = (beacon: ReturnType<typeof clientOf>, target: string, body: unknown) =>
  beacon.POST(target as never, { body } as never) as Promise<{ response: Response }>

async function failure(call: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(FairleadError.is(error)).toBe(true)
  return error as FairleadError
}

describe('a read request', () => {
  it.each([408, 429, 500, 501, 502, 503, 504])('uses the next node after status %i', async (status) => {
    const first = await started(withStatus(status))
    const second = await started(respondOk)
    const beacon = clientOf([first.url, second.url])
    expect(await unwrap(beacon.GET(path))).toEqual({ fork_choice_nodes: [] })
    expect([first.requests.length, second.requests.length]).toEqual([1, 1])
    expect(second.requests[0]?.url).toBe(`/beacon/s3cr3t-1${path}`)
  })

  it.each([400, 401, 403, 404, 405, 406, 414, 415])('returns status %i as the response', async (status) => {
    const first = await started(withStatus(status))
    const second = await started(respondOk)
    const error = await failure(unwrap(clientOf([first.url, second.url]).GET(path)))
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details.status).toBe(status)
    expect(second.requests).toHaveLength(0)
  })

  it.each<[string, () => string | Promise<string>, timeoutMs?: number]>([
    ['a refused connection', () => unusedUrl()],
    ['a connection that breaks', async () => (await started((_, response) => void response.destroy())).url],
    [
      'a body that breaks',
      async () => {
        const breaking: RequestHandler = (_, response) => {
          response.writeHead(200, { 'content-length': '100' }).write('{', () => void response.destroy())
        }
        return (await started(breaking)).url
      },
    ],
    ['silence', async () => (await started(() => {})).url, 200],
  ])('uses the next node after %s', async (_, url, timeoutMs) => {
    const second = await started(respondOk)
    const beacon = clientOf([await url(), second.url], { timeoutMs })
    expect(await unwrap(beacon.GET(path))).toEqual({ fork_choice_nodes: [] })
  })

  it('tries every node once, regardless of the retries, and then throws the last failure', async () => {
    const nodes = await Promise.all([500, 501, 503].map((status) => started(withStatus(status))))
    const error = await failure(
      unwrap(
        clientOf(
          nodes.map(({ url }) => url),
          { retries: 0 },
        ).GET(path),
      ),
    )
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details.status).toBe(503)
    expect(nodes.map(({ requests }) => requests.length)).toEqual([1, 1, 1])
  })

  it('retries all nodes after a delay while retries remain', async () => {
    const first = await started(withStatus(503, { 'retry-after': '0' }))
    const second = await started((request, response, count) =>
      count < 2
        ? withStatus(503, { 'retry-after': '0' })(request, response, count)
        : respondOk(request, response, count),
    )
    expect(await unwrap(clientOf([first.url, second.url], { retries: 2 }).GET(path))).toBeDefined()
    expect(first.requests.length + second.requests.length).toBeGreaterThanOrEqual(3)
  })

  it('waits at most a minute for a node', async () => {
    const only = await started(withStatus(429, { 'retry-after': '3600' }))
    const error = await failure(unwrap(clientOf([only.url]).GET(path)))
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details.status).toBe(429)
    expect(only.requests).toHaveLength(1)
  })

  it('counts its attempts', async () => {
    const urls = [unusedUrl(), unusedUrl(3)]
    const error = await failure(unwrap(clientOf(urls, { retries: 0 }).GET(path)))
    expect(FairleadError.is(error, 'TRANSPORT_FAILED') && error.details.attempt).toBe(2)
  })

  it('can be a POST with a list of validators, which each node receives completely', async () => {
    const first = await started(withStatus(503))
    const second = await started(respondOk)
    const beacon = clientOf([first.url, second.url])
    const targets = [
      '/eth/v1/beacon/states/head/validators',
      '/eth/v1/beacon/rewards/attestations/3',
      '/eth/v1/validator/duties/attester/3',
      '/eth/v1/validator/liveness/3',
    ]
    for (const target of targets) {
      expect((await post(beacon, target, ['1', '2'])).response.status).toBe(200)
    }
    expect(second.requests.map(({ url }) => url)).toEqual(
      targets.map((target) => `/beacon/s3cr3t-1${target}`),
    )
    expect(second.requests.map(({ body }) => body.toString())).toEqual(targets.map(() => '["1","2"]'))
  })
})

describe('a call that changes state', () => {
  const target = '/eth/v2/beacon/blocks'

  it.each<[string, RequestHandler, timeoutMs?: number]>([
    ['status 503', withStatus(503)],
    ['status 429', withStatus(429)],
    ['a broken connection', (_, response) => void response.destroy()],
    ['silence', () => {}, 200],
  ])('is not sent to another node if the node may have received it: %s', async (_, response, timeoutMs) => {
    const first = await started(response)
    const second = await started(respondOk)
    const beacon = clientOf([first.url, second.url], { timeoutMs })
    await unwrap(post(beacon, target, {})).catch(() => {})
    expect([first.requests.length, second.requests.length]).toEqual([1, 0])
  })

  it('uses the next node after a connect timeout', async () => {
    const second = await started(respondOk)
    const cause = { code: 'UND_ERR_CONNECT_TIMEOUT' }
    const fetch: typeof globalThis.fetch = (input, init) =>
      new URL((input as Request).url).hostname === 'unreachable.example'
        ? Promise.reject(new TypeError('fetch failed', { cause }))
        : globalThis.fetch(input, init)
    const beacon = clientOf(['http://unreachable.example', second.url], { fetch })
    expect((await post(beacon, target, { slot: '1' })).response.status).toBe(200)
    expect(second.requests).toHaveLength(1)
  })

  it('uses the next node when the connection is refused', async () => {
    const second = await started(respondOk)
    const beacon = clientOf([unusedUrl(), second.url])
    expect((await post(beacon, target, { slot: '1' })).response.status).toBe(200)
    expect(second.requests[0]?.body.toString()).toBe('{"slot":"1"}')
  })
})

/** Advances the clock. */
function passTime(ms: number): void {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + ms)
}

describe('a node that failed', () => {
  it('is placed after the others, and is probed by one call after its cool-down', async () => {
    let isHealthy = false
    const first = await started((request, response, count) =>
      (isHealthy ? respondOk : withStatus(503))(request, response, count),
    )
    const second = await started(respondOk)
    const beacon = clientOf([first.url, second.url])
    const call = () => unwrap(beacon.GET(path))
    await call()
    await call()
    expect([first.requests.length, second.requests.length]).toEqual([1, 2])
    passTime(1_050)
    await Promise.all([call(), call(), call()])
    expect([first.requests.length, second.requests.length]).toEqual([2, 5])
    isHealthy = true
    passTime(2_050)
    await call()
    await call()
    expect([first.requests.length, second.requests.length]).toEqual([4, 5])
  })

  it('is not used for the time that it requests', async () => {
    const first = await started(withStatus(429, { 'retry-after': '5' }))
    const second = await started(respondOk)
    const beacon = clientOf([first.url, second.url])
    await unwrap(beacon.GET(path))
    passTime(1_100)
    await unwrap(beacon.GET(path))
    expect(first.requests).toHaveLength(1)
  })

  it('is not a node that does not support an operation', async () => {
    const first = await started((request, response, count) =>
      (request.url.endsWith(path) ? withStatus(501) : respondOk)(request, response, count),
    )
    const second = await started(respondOk)
    const beacon = clientOf([first.url, second.url])
    await unwrap(beacon.GET(path))
    await beacon.GET('/eth/v1/node/version' as never)
    expect([first.requests.length, second.requests.length]).toEqual([2, 1])
  })
})

it('ends with the reason of the signal, also during a delay, and records no failure', async () => {
  const only = await started(withStatus(503, { 'retry-after': '30' }))
  const beacon = clientOf([only.url])
  const reason = new Error('enough')
  const timerStarted = watchStartedTimers()
  const early = new AbortController()
  const first = expect(beacon.GET(path, { signal: early.signal })).rejects.toBe(reason)
  early.abort(reason)
  await first
  expect(only.requests).toHaveLength(0)
  const controller = new AbortController()
  const second = expect(beacon.GET(path, { signal: controller.signal })).rejects.toBe(reason)
  await timerStarted(29_000)
  controller.abort(reason)
  await second
  expect(only.requests).toHaveLength(1)
})

it('exposes no secret of any node', async () => {
  const leaky: RequestHandler = (_, response) => sendJson(response, { message: 's3cr3t-0 and s3cr3t-1' }, 400)
  const urls = [unusedUrl(), (await started(leaky)).url]
  const beacon = clientOf(urls)
  const error = await failure(unwrap(beacon.GET(path)))
  const shown = [
    error,
    JSON.stringify(error),
    beacon,
    await failure(unwrap(clientOf([urls[0] ?? '']).GET(path))),
  ]
  expect(inspect(shown, { depth: null, showHidden: true })).not.toContain('s3cr3t')
})

describe('invalid options', () => {
  const node = { url: 'https://node.example.com', auth: auth('t') }
  it.each<[string, () => unknown]>([
    ['nodes', () => failover([])],
    ['nodes[1].url', () => failover([node, { ...node, url: 'node.example.com' }])],
    ['nodes[1].auth', () => failover([node, { ...node, auth: auth('') }])],
    ['timeoutMs', () => failover([node], { timeoutMs: -1 })],
    ['retries', () => failover([node], { retries: Number.NaN })],
    ['timeoutMs', () => createBeaconClient({ ...node, timeoutMs: 2 ** 31 })],
    ['retries', () => createBeaconClient({ ...node, retries: -1 })],
    ['url', () => createBeaconClient({ ...node, url: '' })],
    ['auth', () => createBeaconClient({ ...node, auth: auth('') })],
  ])('are reported by name: %s', (option, create) => {
    try {
      create()
    } catch (error) {
      expect(FairleadError.is(error, 'CONFIG_INVALID') && error.details.option).toBe(option)
      return
    }
    expect.unreachable()
  })
})
