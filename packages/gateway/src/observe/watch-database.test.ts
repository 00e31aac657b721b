import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { type DatabaseWatch, watchDatabase } from './watch-database.ts'

const start = Date.parse('2026-01-01T00:00:00Z')
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000)

const lines = memory()
let queries: { readonly resolve: () => void; readonly reject: (error: Error) => void }[]
let watch: DatabaseWatch

beforeEach(() => {
  vi.useFakeTimers({ now: start })
  queries = []
  watch = watchDatabase(
    () => new Promise<void>((resolve, reject) => queries.push({ resolve, reject })),
    pino({ level: 'info', base: null, timestamp: false }, lines.stream),
  )
})
afterEach(() => {
  watch.close()
  vi.useRealTimers()
})

it('reports a database that hangs after two seconds, and sends no further query to it', async () => {
  await seconds(2)
  expect([queries.length, watch.downSince()]).toEqual([1, undefined])
  await seconds(3)
  expect(watch.downSince()).toBe(start + 2_000)
  await seconds(600)
  expect([queries.length, watch.downSince()]).toEqual([1, start + 2_000])
  queries[0]?.resolve()
  await seconds(0)
  expect(watch.downSince()).toBeUndefined()
  await seconds(2)
  expect(queries).toHaveLength(2)
})

it('reports since when queries fail, and logs the outage and its end once', async () => {
  const before = lines.text().length
  for (const outcome of ['reject', 'reject', 'reject', 'resolve', 'resolve'] as const) {
    await seconds(2)
    if (outcome === 'reject') queries.at(-1)?.reject(new Error('c4n4ry'))
    else queries.at(-1)?.resolve()
    await seconds(0)
    expect(watch.downSince()).toBe(outcome === 'reject' ? start + 2_000 : undefined)
  }
  const logged = lines.text().slice(before)
  expect(logged.match(/"msg":"the database [a-z ]+/g)).toEqual([
    '"msg":"the database does not respond',
    '"msg":"the database responds again',
  ])
  expect(logged).not.toContain('c4n4ry')
})

it('sends no query after it is closed', async () => {
  watch.close()
  await seconds(60)
  expect(queries).toEqual([])
})
