import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RequestHandler, sendJson } from '@fairlead/vitest/http-server'
import {
  type BurnCursor,
  createJettonV3Client,
  FairleadError,
  type JettonBurn,
  type JettonV3Client,
  watchBurns,
  type WatchBurnsOptions,
} from '../v3.ts'
import { type BurnServer, startBurnServer } from './testing/burn-server.ts'

const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'
let server: BurnServer
let jetton: JettonV3Client

beforeEach(async () => {
  server = await startBurnServer()
  const auth = { kind: 'token', token: 't0k3n' } as const
  jetton = createJettonV3Client({ url: server.url, auth, retries: 0 })
})

afterEach(() => server.close())

type Options = Partial<WatchBurnsOptions>

/** Watches until a number of burns has arrived; `each` runs after each of them. */
async function watch(
  count: number,
  options: Options = {},
  each: (received: JettonBurn[]) => void = () => {},
) {
  const received: JettonBurn[] = []
  let last: BurnCursor | undefined
  for await (const { burn, cursor } of watchBurns(jetton, { address, pollMs: 1, ...options })) {
    received.push(burn)
    last = cursor
    each(received)
    if (received.length === count) break
  }
  return { received, cursor: JSON.parse(JSON.stringify(last ?? null)) as BurnCursor }
}

describe('the stream of burns of a jetton', () => {
  it('starts after the listed burns', async () => {
    server.burn(100, 130, 130)
    const { requests } = server
    const coming = watch(2)
    await expect.poll(() => requests.length).toBeGreaterThan(3)
    const fresh = server.burn(130, 140)
    expect((await coming).received).toEqual(fresh)
  })

  it('starts with the first burn', async () => {
    const burns = server.burn(5, 100, 7_000)
    expect((await watch(3, { from: 'beginning' })).received).toEqual(burns)
  })

  it.each([1, 2, 5, 1_000])(
    'yields each burn once when many share a second, in pages of %i',
    async (pageSize) => {
      server.burn(...Array.from({ length: 12 }, () => 100))
      const { received } = await watch(30, { from: 'beginning', pageSize }, ({ length }) => {
        if (length % 4 === 0 && length <= 24) server.burn(100, 100 + length, 100 + length)
      })
      expect(new Set(received.map(({ transaction }) => transaction.hash)).size).toBe(30)
    },
  )

  it('yields burns that are indexed after later ones', async () => {
    const [first] = server.burn(1_000)
    let lateBurns: JettonBurn[] = []
    const { received } = await watch(4, { from: 'beginning', lateSeconds: 60 }, ({ length }) => {
      if (length === 1) lateBurns = server.burn(1_100, 1_041)
      if (length === 3) lateBurns.push(...server.burn(1_040))
    })
    expect(received[0]).toEqual(first)
    expect(received.slice(1).map(({ transaction }) => transaction.time)).toEqual([1_041, 1_100, 1_040])
  })

  it('resumes after a restart, with burns that share the second of the last one', async () => {
    const all = server.burn(...Array.from({ length: 40 }, (_, index) => 100 + Math.floor(index / 8)))
    const received: JettonBurn[] = []
    let from: WatchBurnsOptions['from'] = 'beginning'
    for (const count of [1, 6, 1, 13, 19]) {
      const batch = await watch(count, { from, pageSize: 7 })
      received.push(...batch.received)
      from = batch.cursor
    }
    expect(new Set(received.map(({ transaction }) => transaction.hash)).size).toBe(40)
    expect(received.map(({ transaction }) => transaction.time)).toEqual(
      all.map(({ transaction }) => transaction.time),
    )
    all.push(...server.burn(104, 900))
    expect((await watch(2, { from })).received).toEqual(all.slice(-2))
  })

  it('stores only hashes that can appear again', async () => {
    server.burn(...Array.from({ length: 500 }, (_, index) => index * 10))
    const { cursor } = await watch(500, { from: 'beginning', lateSeconds: 60 })
    expect(cursor.since).toBe(4_930)
    expect(Object.keys(cursor.known)).toHaveLength(7)
  })
})

describe('a watch', () => {
  it('continues after temporary failures, and reports them', async () => {
    const burns = server.burn(100, 101, 102, 103)
    const errors: unknown[] = []
    const unavailable = { error: 'no index' }
    const failures: RequestHandler[] = [
      (_, response) => sendJson(response, unavailable, 503),
      (_, response) => void response.destroy(),
      (_, response) => sendJson(response, unavailable, 500),
    ]
    const onError = (error: unknown) => errors.push(error)
    const { received } = await watch(4, { from: 'beginning', pageSize: 1, onError }, () => {
      server.interrupt(failures.shift())
    })
    expect(received).toEqual(burns)
    expect(errors.map((error) => FairleadError.is(error) && error.code)).toEqual([
      'HTTP_STATUS',
      'TRANSPORT_FAILED',
      'HTTP_STATUS',
    ])
  })

  it.each([401, 404, 422])('ends with status %i', async (status) => {
    server.burn(100)
    const watching = watch(2, { from: 'beginning' }, () =>
      server.interrupt((_, response) => sendJson(response, { error: 'no' }, status)),
    )
    const error: unknown = await watching.catch((reason: unknown) => reason)
    expect(FairleadError.is(error, 'HTTP_STATUS') && error.details.status).toBe(status)
  })

  it('ends without an error when its signal aborts: in a page, in a delay, in a request', async () => {
    server.burn(100, 100)
    const inPage = new AbortController()
    const { received } = await watch(9, { from: 'beginning', signal: inPage.signal }, () => inPage.abort())
    expect(received).toHaveLength(1)

    const inPause = new AbortController()
    const pausing = watch(9, { from: 'beginning', pollMs: 1e9, signal: inPause.signal })
    await expect.poll(() => server.requests.length).toBe(2)
    inPause.abort()
    expect((await pausing).received).toHaveLength(2)

    const inRequest = new AbortController()
    server.interrupt(() => {})
    const watching = watch(9, { signal: inRequest.signal }).catch(() => 'failed')
    await expect.poll(() => server.requests.length).toBe(3)
    inRequest.abort()
    expect(await watching).toMatchObject({ received: [] })
  })

  it.each(['pollMs', 'lateSeconds'])('rejects %s that is not a number', (option) => {
    let error: unknown
    try {
      watchBurns(jetton, { address, [option]: Number.NaN })
    } catch (thrown) {
      error = thrown
    }
    expect(FairleadError.is(error, 'CONFIG_INVALID') && error.details.option).toBe(option)
  })
})
