import { expect, it } from 'vitest'
import type { Block } from './block-window.ts'
import { readLogFilter } from './log-filter.ts'
import { LogIndex } from './log-index.ts'
import type { Subscriber } from './subscriber.ts'
import { TimeSlices } from './time-slices.ts'

const topic = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const address = `0x${'a'.repeat(40)}`

function block(turn: number, logs: number): Block {
  const head = { number: turn, hash: `0x${turn}`, parentHash: '0x', text: '{}' }
  const entries = Array.from({ length: logs }, (_, index) => {
    const log = { address, topics: [topic(index)], logIndex: `0x${index.toString(16)}`, blockHash: head.hash }
    return { log, text: JSON.stringify(log) }
  })
  return { head, logs: entries, turn }
}

/** Creates an index whose subscribers take one millisecond of a simulated clock for each log. */
function slowIndex(sliceMs = 4) {
  let clock = 0
  const index = new LogIndex(new TimeSlices(sliceMs, () => clock))
  const join = (options: unknown, since: number) => {
    const results: string[] = []
    const subscriber: Subscriber = {
      deliver: (result) => {
        clock += 1
        results.push(result)
      },
      overflow: () => undefined,
    }
    const key = JSON.stringify(options ?? {})
    index.add(key, readLogFilter(options), subscriber, since)
    return { results, leave: () => index.remove(key, subscriber) }
  }
  return { index, join, now: () => clock }
}

it('lets other work come between, after no more than a slice of its own', async () => {
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

it('delivers each log once and in order, and takes them back latest first', async () => {
  const { index, join } = slowIndex()
  const wanted = block(1, 30)
  const texts = wanted.logs.map(({ text }) => text)
  const all = Array.from({ length: 20 }, () => join(undefined, 0))
  const one = join({ address, topics: [topic(7)] }, 0)
  await index.deliver(wanted, false)
  for (const { results } of all) expect(results).toEqual(texts)
  expect(one.results).toEqual([texts[7]])
  await index.deliver(wanted, true)
  for (const { results } of all) {
    const removed = results.slice(30).map((text) => JSON.parse(text) as Record<string, unknown>)
    expect(removed).toEqual(wanted.logs.toReversed().map(({ log }) => ({ ...log, removed: true })))
  }
})

it('gives nothing more to who leaves meanwhile, and nothing to who joins meanwhile', async () => {
  const { index, join } = slowIndex()
  const stays = join(undefined, 0)
  const leaves = join(undefined, 0)
  const delivering = index.deliver(block(1, 30), false)
  const before = leaves.results.length
  leaves.leave()
  const late = join(undefined, 1)
  await delivering
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(30)
  expect(leaves.results).toHaveLength(before)
  expect(late.results).toEqual([])
  expect(stays.results).toHaveLength(30)
})

it('names the addresses that are wanted as long as every filter has one', () => {
  const { index, join } = slowIndex()
  expect(index.wanted(2)).toBeUndefined()
  const other = `0x${'b'.repeat(40)}`
  const both = join({ address: [address, other] }, 0)
  const one = join({ address, topics: [topic(1)] }, 0)
  expect(index.wanted(2)).toEqual([address, other])
  expect(index.wanted(1)).toEqual([])
  both.leave()
  expect(index.wanted(2)).toEqual([address])
  const any = join({ topics: [topic(1)] }, 0)
  expect(index.wanted(2)).toEqual([])
  any.leave()
  one.leave()
  expect(index.wanted(2)).toBeUndefined()
})
