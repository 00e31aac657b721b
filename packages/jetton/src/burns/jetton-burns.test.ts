import { afterEach, beforeEach, expect, it } from 'vitest'
import { allOf } from '../testing/all-of.ts'
import { createJettonV3Client, jettonBurns, type JettonV3Client } from '../v3.ts'
import { type BurnServer, startBurnServer } from './testing/burn-server.ts'

const address = 'EQB7NM_xT1_NNUbwpMxxr7tHl6nPpSQjvMN5Fje_nw1-vXMc'
let server: BurnServer
let jetton: JettonV3Client

beforeEach(async () => {
  server = await startBurnServer()
  jetton = createJettonV3Client({ url: server.url, auth: { kind: 'token', token: 't0k3n' }, retries: 0 })
})

afterEach(() => server.close())

const times = [3, 3, 3, 5, 8, 8, 8, 8, 9, 12]

it.each([1, 2, 3, 4, 10, 11])(
  'burns are yielded in the requested order, each once, in pages of %i',
  async (pageSize) => {
    server.burn(...times)
    for (const sort of ['asc', 'desc'] as const) {
      const burns = await allOf(jettonBurns(jetton, { address, sort, pageSize }))
      expect(burns.map(({ transaction }) => transaction.time)).toEqual(
        sort === 'asc' ? times : times.toReversed(),
      )
      expect(new Set(burns.map(({ transaction }) => transaction.hash)).size).toBe(times.length)
    }
    // The server scans to an offset row by row, so the offset must never exceed the burns of one second.
    const offsets = server.requests.map(({ url }) => Number(/offset=(\d+)/.exec(url)?.[1]))
    expect(Math.max(...offsets)).toBeLessThanOrEqual(4)
  },
)

it('burns of a time range exclude all others', async () => {
  server.burn(...times)
  const span = { start_utime: 5, end_utime: 9, pageSize: 2 }
  for (const sort of ['asc', 'desc'] as const) {
    const burns = await allOf(jettonBurns(jetton, { address, sort, ...span }))
    expect(burns.map(({ transaction }) => transaction.time).toSorted((a, b) => a - b)).toEqual([
      5, 8, 8, 8, 8, 9,
    ])
  }
})

it('burns that arrive during the iteration follow, or are excluded', async () => {
  server.burn(...times)
  const arriving: Record<string, number[]> = { asc: [20, 21, 22], desc: [30, 31] }
  const received: Record<string, number[]> = { asc: [], desc: [] }
  for (const sort of ['asc', 'desc'] as const) {
    for await (const { transaction } of jettonBurns(jetton, { address, sort, pageSize: 3 })) {
      if (received[sort]?.push(transaction.time) === 2) server.burn(...(arriving[sort] ?? []))
    }
  }
  expect(received).toEqual({ asc: [...times, 20, 21, 22], desc: [22, 21, 20, ...times.toReversed()] })
})
