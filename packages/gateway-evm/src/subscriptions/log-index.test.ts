import { expect, it } from 'vitest'
import type { Block } from './block-window.ts'
import { readLogFilter } from './log-filter.ts'
import { LogIndex } from './log-index.ts'
import type { Subscriber } from './subscriber.ts'
import { TimeSlices } from './time-slices.ts'

const topic = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const address = `0x${'a'.repeat(40)}`

function block(sequence: number, logs: number): Block {
  const head = { number: sequence, hash: `0x${sequence}`, parentHash: '0x', text: '{}' }
  const entries = Array.from({ length: logs }, (_, index) => {
    const log = { address, topics: [topic(index)], logIndex: `0x${index.toString(16)}`, blockHash: head.hash }
    return { log, text: JSON.stringify(log) }
  })
  return { head, logs: entries, sequence }
}

/** Creates an index whose subscribers take one millisecond of a simulated clock for each log. */
function slowIndex(sliceMs = 4) {
  let clock = 0
  const index = new LogIndex(new TimeSlices(sliceMs, () => clock))
  const join = (options: unknown, fromSequence: number) => {
    const results: string[] = []
    const subscriber: Subscriber = {
      deliver: (result) => {
        clock += 1
        results.push(result)
      },
      overflow: () => undefined,
    }
    const key = JSON.stringify(options ?? {})
    index.add(key, readLogFilter(options), subscriber, fromSequence)
    return { results, unsubscribe: () => index.remove(key, subscriber) }
  }
  return { index, join, now: () => clock }
}

it('yields to other work after each time slice', async () => {
  const { index, join, now } = slowIndex()
  const all = Array.from({ length: 50 }, () => join(undefined, 0))
  const ticks = [now()]
  let isOver = false
  const watching = new Promise<void>((resolve) => {
    const watch = () => {
      ticks.push(now())
      if (isOver) resolve()
      else setImmediate(watch)
    }
    setImmediate(watch)
  })
  await Promise.all([index.deliver(block(1, 20), false), index.deliver(block(1, 20), false)])
  isOver = true
  await watching
  expect(now()).toBe(2_000)
  // Both deliveries work in each tick and share its slice.
  const between = ticks.slice(1).map((tick, at) => tick - (ticks[at] as number))
  expect(Math.max(...between)).toBeLessThanOrEqual(5)
  for (const { results } of all) expect(results).toHaveLength(40)
})

it('delivers each log once and in order, and reports removed logs in reverse order', async () => {
  const { index, join } = slowIndex()
  const wanted = block(1, 30)
  const texts = wanted.logs.map(({ text }) => text)
  const all = Array.from({ length: 20 }, () => join(undefined, 0))
  const first = join({ address, topics: [topic(7)] }, 0)
  await index.deliver(wanted, false)
  for (const { results } of all) expect(results).toEqual(texts)
  expect(first.results).toEqual([texts[7]])
  await index.deliver(wanted, true)
  for (const { results } of all) {
    const removed = results.slice(30).map((text) => JSON.parse(text) as Record<string, unknown>)
    expect(removed).toEqual(wanted.logs.toReversed().map(({ log }) => ({ ...log, removed: true })))
  }
})

it('delivers nothing to subscribers that unsubscribe or subscribe during a delivery', async () => {
  const { index, join } = slowIndex()
  const stays = join(undefined, 0)
  const unsubscribed = join(undefined, 0)
  const delivering = index.deliver(block(1, 30), false)
  const before = unsubscribed.results.length
  unsubscribed.unsubscribe()
  const second = join(undefined, 1)
  await delivering
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(30)
  expect(unsubscribed.results).toHaveLength(before)
  expect(second.results).toEqual([])
  expect(stays.results).toHaveLength(30)
})

it('returns the addresses while every filter has one', () => {
  const { index, join } = slowIndex()
  expect(index.logAddresses(2)).toBeUndefined()
  const other = `0x${'b'.repeat(40)}`
  const both = join({ address: [address, other] }, 0)
  const first = join({ address, topics: [topic(1)] }, 0)
  expect(index.logAddresses(2)).toEqual([address, other])
  expect(index.logAddresses(1)).toEqual([])
  both.unsubscribe()
  expect(index.logAddresses(2)).toEqual([address])
  const any = join({ topics: [topic(1)] }, 0)
  expect(index.logAddresses(2)).toEqual([])
  any.unsubscribe()
  first.unsubscribe()
  expect(index.logAddresses(2)).toBeUndefined()
})
