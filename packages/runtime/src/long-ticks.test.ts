import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  attributeTick,
  guarded,
  guardedImmediate,
  guardedTimeout,
  type TickSource,
  watchLongTicks,
} from './index.ts'

let reports: (readonly [TickSource, number])[]
let end: () => void
let now = 0

/** Runs the timer of the detection after the event loop was blocked for a time. */
function tick(blockedMs: number): void {
  now += 50 + blockedMs
  vi.advanceTimersByTime(50)
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  reports = []
  end = watchLongTicks((source, ms) => reports.push([source, ms]))
})
afterEach(() => {
  end()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('reports ticks of more than 50 ms with what ran last', () => {
  const websocket = guarded('websocket', () => undefined)
  tick(0)
  websocket()
  tick(50)
  expect(reports).toEqual([])
  guarded('http1', () => undefined)()
  websocket()
  tick(51)
  attributeTick('platform')
  tick(1_000)
  expect(reports).toEqual([
    ['websocket', 51],
    ['platform', 1_000],
  ])
})

it('attributes a tick to nothing that ran in an earlier one', () => {
  guarded('grpc', () => undefined)()
  tick(0)
  tick(100)
  expect(reports).toEqual([['other', 100]])
})

it('attributes deferred writes to the event before them', () => {
  guarded('http1', () => guardedImmediate(() => undefined))()
  vi.runAllTicks()
  tick(100)
  expect(reports).toEqual([['http1', 100]])
})

it('attributes a tick to a timer only if the timer itself takes long', () => {
  guarded('http1', () => undefined)()
  const short = guardedTimeout(() => undefined, 1)
  tick(100)
  const long = guardedTimeout(() => (now += 100), 1)
  tick(0)
  expect(reports).toEqual([
    ['http1', 100],
    ['timer', 100],
  ])
  clearTimeout(short)
  clearTimeout(long)
})

it('reports nothing after its end', () => {
  end()
  tick(1_000)
  expect(reports).toEqual([])
})
