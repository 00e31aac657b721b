import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { inspect } from 'node:util'
import { settled } from '@fairlead/vitest/settled'
import { watchStartedTimers } from '@fairlead/vitest/started-timers'
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
  type Answering,
  deadUrl,
  type HttpServer,
  sendJson,
  startHttpServer,
} from '@fairlead/vitest/http-server'

const auth = { kind: 'basic', username: 'user', password: 's3cr3t' } as const
const quick = { baseMs: 5, maxMs: 20 }
const servers: HttpServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

async function served(answer: Answering): Promise<{ beacon: BeaconClient; server: HttpServer }> {
  const server = await startHttpServer(answer)
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
  onEvent: (seen: string) => void = () => {},
): Promise<string[]> {
  const seen: string[] = []
  for await (const event of events(beacon, { topics: ['block'], reconnect: quick, ...options })) {
    if (event.event === 'block') seen.push(`block ${event.data.slot}`)
    else if (event.event === 'gap') seen.push(`gap ${event.data.attempts}`)
    else seen.push(event.event)
    onEvent(seen.at(-1) ?? '')
    if (seen.length === count) break
  }
  return seen
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
  it('asks for its topics as the specification writes them, with the credential in a header', async () => {
    const { beacon, server } = await served((_, response) => open(response, blockAt(1)))
    expect(await follow(beacon, 1, { topics: ['block', 'head', 'chain_reorg'] })).toEqual(['block 1'])
    const [request] = server.requests
    expect(request?.url).toBe('/beacon/eth/v1/events?topics=block&topics=head&topics=chain_reorg')
    expect(request?.headers.accept).toBe('text/event-stream')
    expect(request?.headers.authorization).toBe(`Basic ${btoa('user:s3cr3t')}`)
  })

  it.each([1, 7, 64])(
    'reads events that come in pieces of %i bytes, with comments and any line ends',
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

  it('waits as long as it bears silence for a node that sends no headers before its first event', async () => {
    const { server } = await served((_, response) => {
      setTimeout(() => open(response, blockAt(1)), 150)
    })
    const beacon = createBeaconClient({ url: server.url, auth, timeoutMs: 100, retries: 0 })
    expect(await follow(beacon, 1, { idleMs: 5_000.5 })).toEqual(['block 1'])
    expect(server.requests).toHaveLength(1)
  })

  it('frees the connection when the reader leaves', async () => {
    const { beacon, server } = await served((_, response) => open(response, blockAt(1)))
    await follow(beacon, 1)
    await expect.poll(() => server.connections()).toBe(0)
  })

  it('ends without an error and frees the connection when its signal aborts, also while it waits', async () => {
    const { beacon, server } = await served((_, response) => open(response, blockAt(1)))
    const left = new AbortController()
    const abortSoon = () => void setImmediate(() => left.abort())
    expect(await follow(beacon, 2, { signal: left.signal }, abortSoon)).toEqual(['block 1'])
    expect(server.requests).toHaveLength(1)
    await expect.poll(() => server.connections()).toBe(0)
    expect(await follow(beacon, 1, { signal: AbortSignal.abort() })).toEqual([])
  })

  it('is as slow as its reader, and keeps nothing for it', async () => {
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
  ])('is made again when it was %s, with a gap in line', async (_, lose) => {
    let loseConnection = () => {}
    const { beacon } = await served((_request, response, count) => {
      open(response, blockAt(count))
      loseConnection = () => void (count < 3 && lose(response))
    })
    const seen = await follow(beacon, 5, { idleMs: 1_000 }, (event) => {
      if (event.startsWith('block')) loseConnection()
    })
    expect(seen).toEqual(['block 1', 'gap 1', 'block 2', 'gap 1', 'block 3'])
  })

  it('tells from when to when events may be missing, in how many attempts it came back, and why it was lost', async () => {
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
    for await (const event of events(beacon, { topics: ['block'], reconnect: quick })) {
      if (event.event !== 'gap') continue
      const { from, to, attempts, reason } = event.data
      expect(Date.parse(from)).toBeGreaterThanOrEqual(started)
      expect(Date.parse(to)).toBeGreaterThan(Date.parse(from))
      expect(attempts).toBe(3)
      expect(reason).toBe('the node ended the stream')
      break
    }
  })

  it('is not one as long as the node shows by comments that it is there', async () => {
    const { beacon, server } = await served((_, response) => {
      open(response)
      let comments = 0
      const timer = setInterval(() => response.write(++comments < 30 ? ': still here\n\n' : blockAt(9)), 50)
      response.on('close', () => clearInterval(timer))
    })
    expect(await follow(beacon, 1, { idleMs: 1_000 })).toEqual(['block 9'])
    expect(server.requests).toHaveLength(1)
  })

  it('is made again no sooner than the node asks', async () => {
    const { beacon } = await served((_, response, count) => {
      open(response, count === 1 ? `retry: 400\n\n${blockAt(1)}` : blockAt(2))
      if (count === 1) response.end()
    })
    const from = Date.now()
    expect(await follow(beacon, 3)).toEqual(['block 1', 'gap 1', 'block 2'])
    expect(Date.now() - from).toBeGreaterThan(400)
  })

  it('is not made again at once when the node asks for a longer pause than a timer holds', async () => {
    const { beacon, server } = await served((_, response) => {
      open(response, 'retry: 99999999999\n\n')
      response.end()
    })
    const left = new AbortController()
    const timerStarted = watchStartedTimers()
    const seen = follow(beacon, 1, { signal: left.signal })
    await timerStarted(1_000_000)
    left.abort()
    expect(await seen).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  it('is given up after as many attempts as it may take', async () => {
    const { beacon, server } = await served((_, response, count) => {
      if (count > 1) return sendJson(response, { message: 's3cr3t is starting' }, 503)
      open(response)
      response.end()
    })
    const error = await failureOf(follow(beacon, 1, { reconnect: { ...quick, attempts: 3 } }))
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.context.status).toBe(503)
    expect(server.requests).toHaveLength(4)
  })

  it('is made again at the best node', async () => {
    const silent = await startHttpServer((_, response) => open(response, blockAt(1)))
    const well = await startHttpServer((_, response) => open(response, blockAt(2)))
    servers.push(silent, well)
    const nodes = [silent.url, well.url].map((url) => ({ url, auth }))
    const beacon = createBeaconClient({ transport: failover(nodes) })
    expect(await follow(beacon, 3, { idleMs: 150 })).toEqual(['block 1', 'gap 1', 'block 2'])
    expect([silent.requests.length, well.requests.length]).toEqual([1, 1])
  })
})

describe('what cannot go on', () => {
  it.each([400, 401, 403, 404, 501])('throws status %i at once', async (status) => {
    const { beacon, server } = await served((_, response, count) => {
      if (count === 1) open(response, blockAt(1))
      else return sendJson(response, { code: status, message: 'no, s3cr3t' }, status)
      response.end()
    })
    const error = await failureOf(follow(beacon, 5))
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.context).toMatchObject({
      status,
      detail: 'no, ***',
    })
    expect(server.requests).toHaveLength(2)
  })

  it('throws when the first connection cannot be made', async () => {
    const beacon = createBeaconClient({ url: await deadUrl(), auth, retries: 0 })
    expect((await failureOf(follow(beacon, 1))).code).toBe('TRANSPORT_FAILED')
  })

  it('throws for data that is not JSON, naming the topic and not the data', async () => {
    const { beacon } = await served((_, response) => open(response, 'event: block\ndata: s3cr3t\n\n'))
    const error = await failureOf(follow(beacon, 1))
    expect(FairleadError.is(error, 'DECODE_INVALID') && error.context.path).toBe('block')
  })

  it('throws for an answer that is no event stream', async () => {
    const { beacon } = await served((_, response) => sendJson(response, {}))
    expect((await failureOf(follow(beacon, 1))).code).toBe('DECODE_INVALID')
  })

  it('does not keep a message without end', async () => {
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
  ])('refuses a bad %s', async (option, options) => {
    const { beacon } = await served(() => {})
    const error = await failureOf(follow(beacon, 1, options))
    expect(FairleadError.is(error, 'CONFIG_INVALID') && error.context.option).toBe(option)
  })
})
