import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { inspect } from 'node:util'
import { settled } from '@fairlead/vitest/settled'
import { fakeTimeouts, watchStartedTimers } from '@fairlead/vitest/started-timers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type BeaconClient,
  createBeaconClient,
  events,
  type EventsOptions,
  type EventTopic,
  failover,
  FairleadError,
} from '../index.ts'
import {
  type RequestHandler,
  unusedUrl,
  type HttpServer,
  sendJson,
  startHttpServer,
} from '@fairlead/vitest/http-server'

const auth = { kind: 'basic', username: 'user', password: 's3cr3t' } as const
const shortBackoff = { baseMs: 5, maxMs: 20 }
const servers: HttpServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function served(handler: RequestHandler): Promise<{ beacon: BeaconClient; server: HttpServer }> {
  const server = await startHttpServer(handler)
  servers.push(server)
  return { beacon: createBeaconClient({ url: server.url, auth, timeoutMs: 1_000, retries: 0 }), server }
}

function open(response: ServerResponse, text = ''): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(`: here\n\n${text}`)
}

const root = `0x${'ab'.repeat(32)}`
const blockAt = (slot: number): string =>
  `event: block\ndata: ${JSON.stringify({ slot: String(slot), block: root, execution_optimistic: false })}\n\n`

/** Reads a given number of events and returns each as a short text. */
async function follow(
  beacon: BeaconClient,
  count: number,
  options: Partial<EventsOptions<EventTopic>> = {},
  onEvent: (received: string) => void = () => {},
): Promise<string[]> {
  const received: string[] = []
  for await (const event of events(beacon, { topics: ['block'], reconnect: shortBackoff, ...options })) {
    if (event.event === 'block') received.push(`block ${event.data.slot}`)
    else if (event.event === 'gap') received.push(`gap ${event.data.attempts}`)
    else received.push(event.event)
    onEvent(received.at(-1) ?? '')
    if (received.length === count) break
  }
  return received
}

async function failureOf(call: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(FairleadError.is(error)).toBe(true)
  expect(inspect(error, { depth: null, showHidden: true })).not.toContain('s3cr3t')
  return error as FairleadError
}

describe('a stream', () => {
  it('requests its topics in the format of the specification, with the credential in a header', async () => {
    const { beacon, server } = await served((_, response) => open(response, blockAt(1)))
    expect(await follow(beacon, 1, { topics: ['block', 'head', 'chain_reorg'] })).toEqual(['block 1'])
    const [request] = server.requests
    expect(request?.url).toBe('/beacon/eth/v1/events?topics=block&topics=head&topics=chain_reorg')
    expect(request?.headers.accept).toBe('text/event-stream')
    expect(request?.headers.authorization).toBe(`Basic ${btoa('user:s3cr3t')}`)
  })

  it.each([1, 7, 64])(
    'reads events that arrive in chunks of %i bytes, with comments and any line endings',
    async (size) => {
      const text = `${blockAt(1)}: still here\n\n${blockAt(2).replaceAll('\n', '\r\n')}event:block\ndata:{"slot":\ndata:"\u00e9"}\n\n`
      const { beacon } = await served(async (_, response) => {
        open(response)
        const bytes = Buffer.from(text)
        for (let at = 0; at < bytes.length; at += size) {
          response.write(bytes.subarray(at, at + size))
          await new Promise((resolve) => setImmediate(resolve))
        }
      })
      expect(await follow(beacon, 3)).toEqual(['block 1', 'block 2', 'block \u00e9'])
    },
  )

  it('waits up to the idle timeout for a node that sends no headers before its first event', async () => {
    const { server } = await served((_, response) => {
      setTimeout(() => open(response, blockAt(1)), 150)
    })
    const beacon = createBeaconClient({ url: server.url, auth, timeoutMs: 100, retries: 0 })
    expect(await follow(beacon, 1, { idleMs: 5_000.5 })).toEqual(['block 1'])
    expect(server.requests).toHaveLength(1)
  })

  it('releases the connection when the reader stops', async () => {
    const { beacon, server } = await served((_, response) => open(response, blockAt(1)))
    await follow(beacon, 1)
    await expect.poll(() => server.connections()).toBe(0)
  })

  it('ends without an error and releases the connection when its signal aborts, also while it waits', async () => {
    const { beacon, server } = await served((_, response) => open(response, blockAt(1)))
    const controller = new AbortController()
    const abortSoon = () => void setImmediate(() => controller.abort())
    expect(await follow(beacon, 2, { signal: controller.signal }, abortSoon)).toEqual(['block 1'])
    expect(server.requests).toHaveLength(1)
    await expect.poll(() => server.connections()).toBe(0)
    expect(await follow(beacon, 1, { signal: AbortSignal.abort() })).toEqual([])
  })

  it('applies backpressure and buffers nothing', async () => {
    const count = 20_000
    let written = 0
    const { beacon, server } = await served(async (_, response, request) => {
      if (request > 1) return sendJson(response, {})
      open(response)
      function* pieces() {
        // More than the buffers of the connection hold.
        for (; written < count; written++) yield `: ${'x'.repeat(2_000)}\n\n${blockAt(written + 1)}`
      }
      await pipeline(Readable.from(pieces()), response).catch(() => {})
    })
    let last = 0
    for await (const event of events(beacon, { topics: ['block'] })) {
      if (event.event !== 'block') continue
      if (last === 0) {
        await settled(
          () => written,
          async () => (await fetch(server.url)).text(),
        )
        expect(written).toBeLessThan(count)
      }
      expect(Number(event.data.slot)).toBe(last + 1)
      last += 1
      if (last === count) break
    }
    expect(last).toBe(count)
  })
})

describe('a lost connection', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['ended', (response) => response.end()],
    ['broken', (response) => void response.destroy()],
    ['silent', () => {}],
  ])('is reopened when it was %s, and reports a gap', async (_, lose) => {
    let loseConnection = () => {}
    const { beacon } = await served((_request, response, count) => {
      open(response, blockAt(count))
      loseConnection = () => void (count < 3 && lose(response))
    })
    const received = await follow(beacon, 5, { idleMs: 1_000 }, (event) => {
      if (event.startsWith('block')) loseConnection()
    })
    expect(received).toEqual(['block 1', 'gap 1', 'block 2', 'gap 1', 'block 3'])
  })

  it('reports the period of missing events, the number of attempts and the cause', async () => {
    const { beacon } = await served(async (_, response, count) => {
      if (count === 2 || count === 3) {
        const arrivedAt = Date.now()
        // Makes the two timestamps of the gap differ.
        await vi.waitUntil(() => Date.now() > arrivedAt, { interval: 1 })
        return sendJson(response, { code: 503, message: 'starting' }, 503)
      }
      open(response, blockAt(count))
      if (count === 1) response.end()
    })
    const started = Date.now()
    for await (const event of events(beacon, { topics: ['block'], reconnect: shortBackoff })) {
      if (event.event !== 'gap') continue
      const { from, to, attempts, reason } = event.data
      expect(Date.parse(from)).toBeGreaterThanOrEqual(started)
      expect(Date.parse(to)).toBeGreaterThan(Date.parse(from))
      expect(attempts).toBe(3)
      expect(reason).toBe('the node ended the stream')
      break
    }
  })

  it('is not assumed while the node sends comments', async () => {
    let send = (_text: string) => {}
    const { beacon, server } = await served((_, response) => {
      open(response)
      send = (text) => void response.write(text)
    })
    const timersStarted = fakeTimeouts()
    const received = follow(beacon, 1, { idleMs: 10_000 })
    // The first wait is for the comment of `open`. Each received comment starts the next wait.
    for (let waits = 2; waits <= 30; waits++) {
      await timersStarted(10_000, waits)
      vi.advanceTimersByTime(9_000)
      send(waits < 30 ? ': still here\n\n' : blockAt(9))
    }
    expect(await received).toEqual(['block 9'])
    expect(server.requests).toHaveLength(1)
  })

  it('is reopened after the delay that the node requests', async () => {
    const { beacon } = await served((_, response, count) => {
      open(response, count === 1 ? `retry: 400\n\n${blockAt(1)}` : blockAt(2))
      if (count === 1) response.end()
    })
    const from = Date.now()
    expect(await follow(beacon, 3)).toEqual(['block 1', 'gap 1', 'block 2'])
    expect(Date.now() - from).toBeGreaterThan(400)
  })

  it('is not reopened immediately when the node requests a delay above the maximum timer delay', async () => {
    const { beacon, server } = await served((_, response) => {
      open(response, 'retry: 99999999999\n\n')
      response.end()
    })
    const controller = new AbortController()
    const timerStarted = watchStartedTimers()
    const received = follow(beacon, 1, { signal: controller.signal })
    await timerStarted(1_000_000)
    controller.abort()
    expect(await received).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  it('fails after the maximum number of attempts', async () => {
    const { beacon, server } = await served((_, response, count) => {
      if (count > 1) return sendJson(response, { message: 's3cr3t is starting' }, 503)
      open(response)
      response.end()
    })
    const error = await failureOf(follow(beacon, 1, { reconnect: { ...shortBackoff, attempts: 3 } }))
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details.status).toBe(503)
    expect(server.requests).toHaveLength(4)
  })

  it('is reopened at the best node', async () => {
    const silentServer = await startHttpServer((_, response) => open(response, blockAt(1)))
    const healthyServer = await startHttpServer((_, response) => open(response, blockAt(2)))
    servers.push(silentServer, healthyServer)
    const nodes = [silentServer.url, healthyServer.url].map((url) => ({ url, auth }))
    const beacon = createBeaconClient({ transport: failover(nodes) })
    expect(await follow(beacon, 3, { idleMs: 1_000 })).toEqual(['block 1', 'gap 1', 'block 2'])
    expect([silentServer.requests.length, healthyServer.requests.length]).toEqual([1, 1])
  })
})

describe('a permanent failure', () => {
  it.each([400, 401, 403, 404, 501])('throws status %i immediately', async (status) => {
    const { beacon, server } = await served((_, response, count) => {
      if (count === 1) open(response, blockAt(1))
      else return sendJson(response, { code: status, message: 'no, s3cr3t' }, status)
      response.end()
    })
    const error = await failureOf(follow(beacon, 5))
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details).toMatchObject({
      status,
      detail: 'no, ***',
    })
    expect(server.requests).toHaveLength(2)
  })

  it('throws when the first connection fails', async () => {
    const beacon = createBeaconClient({ url: unusedUrl(), auth, retries: 0 })
    expect((await failureOf(follow(beacon, 1))).code).toBe('TRANSPORT_FAILED')
  })

  it('throws for data that is not JSON, naming the topic and not the data', async () => {
    const { beacon } = await served((_, response) => open(response, 'event: block\ndata: s3cr3t\n\n'))
    const error = await failureOf(follow(beacon, 1))
    expect(FairleadError.is(error, 'DECODE_INVALID') && error.details.path).toBe('block')
  })

  it('throws for a response that is not an event stream', async () => {
    const { beacon } = await served((_, response) => sendJson(response, {}))
    expect((await failureOf(follow(beacon, 1))).code).toBe('DECODE_INVALID')
  })

  it('does not buffer an endless message', async () => {
    const { beacon } = await served(async (_, response) => {
      open(response, 'data: ')
      function* pieces() {
        for (;;) yield 'x'.repeat(1_000_000)
      }
      await pipeline(Readable.from(pieces()), response).catch(() => {})
    })
    expect((await failureOf(follow(beacon, 1))).code).toBe('DECODE_INVALID')
  })

  it.each<[string, Partial<EventsOptions<EventTopic>>]>([
    ['idleMs', { idleMs: -1 }],
    ['reconnect.baseMs', { reconnect: { baseMs: Number.NaN } }],
    ['reconnect.maxMs', { reconnect: { maxMs: 2 ** 31 } }],
    ['reconnect.attempts', { reconnect: { attempts: -1 } }],
  ])('rejects an invalid %s', async (option, options) => {
    const { beacon } = await served(() => {})
    const error = await failureOf(follow(beacon, 1, options))
    expect(FairleadError.is(error, 'CONFIG_INVALID') && error.details.option).toBe(option)
  })
})
