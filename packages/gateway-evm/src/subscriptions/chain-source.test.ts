import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { processSocketData, waitFor } from '@fairlead/vitest/wait-for'
import type { Upstream } from '../upstream/types.ts'
import { createWebSocketUpstream, type WebSocketUpstream } from '../upstream/websocket-upstream.ts'
import { ChainSource } from './chain-source.ts'
import { TimeSlices } from './time-slices.ts'

interface TestBlock {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
}

const hashOf = (branch: string, number: number) => `0x${branch}${number}`

function chainOf(branch: string, height: number): TestBlock[] {
  return Array.from({ length: height + 1 }, (_, number) => ({
    number: `0x${number.toString(16)}`,
    hash: hashOf(branch, number),
    parentHash: hashOf(branch, number - 1),
  }))
}

const log = pino({ level: 'silent' })

/** Creates an upstream whose chain the test sets. */
function scriptedNode(
  start: readonly TestBlock[],
  socket: WebSocketUpstream = createWebSocketUpstream([], 5_000, log),
  slices: Pick<TimeSlices, 'isExhausted' | 'next'> = new TimeSlices(),
) {
  const node = { chain: start, missed: 0 }
  const respond = (method: string, [tag]: readonly unknown[]): unknown => {
    if (method === 'eth_getLogs') return []
    const isLatest = tag === 'latest'
    const found = isLatest
      ? node.chain.at(-1)
      : node.chain.find(({ number, hash }) => number === tag || hash === tag)
    if (!found) node.missed += 1
    return found ?? null
  }
  const upstream = {
    call: (method: string, params: readonly unknown[]) => Promise.resolve(respond(method, params)),
    batch: (calls: readonly (readonly [string, readonly unknown[]])[]) =>
      Promise.resolve(calls.map(([method, params]) => respond(method, params))),
  } as unknown as Upstream
  const source = new ChainSource({
    upstream,
    socket,
    pollMs: 5,
    timeoutMs: 5_000,
    log,
    slices: slices as TimeSlices,
  })
  onTestFinished(() => source.stop())
  const subscribe = async () => {
    const heads: string[] = []
    const lost: string[] = []
    const membership = await source.join(
      { kind: 'newHeads', key: 'newHeads', size: 0 },
      {
        deliver: (text) => heads.push((JSON.parse(text) as TestBlock).hash),
        overflow: (reason) => lost.push(reason),
      },
    )
    return { heads, lost, membership }
  }
  return { node, source, subscribe }
}

it('delivers the heads of the current chain to new subscribers while earlier ones wait', async () => {
  const { node, source, subscribe } = scriptedNode(chainOf('a', 100))
  const before = await subscribe()
  node.chain = chainOf('b', 5)
  await waitFor(() => expect(node.missed).toBeGreaterThan(0))
  const during = await subscribe()
  const second = await subscribe()
  node.chain = chainOf('b', 7)
  const expected = [hashOf('b', 6), hashOf('b', 7)]
  await waitFor(() => expect([during.heads, second.heads]).toEqual([expected, expected]))
  // The earlier subscriber waits: another, lagging upstream may have responded.
  expect(before).toMatchObject({ heads: [], lost: [] })
  expect(source.upstreamSubscriptions).toBe(2)
  before.membership.leave()
  expect(source.upstreamSubscriptions).toBe(1)
})

it('resumes for earlier subscribers when the node only lagged', async () => {
  const { node, source, subscribe } = scriptedNode(chainOf('a', 100))
  const before = await subscribe()
  node.chain = chainOf('a', 5)
  await waitFor(() => expect(node.missed).toBeGreaterThan(0))
  const during = await subscribe()
  node.chain = chainOf('a', 102)
  await waitFor(() => expect(before.heads).toEqual([hashOf('a', 101), hashOf('a', 102)]))
  const since = Array.from({ length: 97 }, (_, index) => hashOf('a', 6 + index))
  await waitFor(() => expect(during.heads).toEqual(since))
  expect([before.lost, during.lost]).toEqual([[], []])
  before.membership.leave()
  during.membership.leave()
  expect(source.upstreamSubscriptions).toBe(1)
})

it('polls whenever its subscription is not active', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const subscription = { isLive: true, end: () => undefined }
  const { node, subscribe } = scriptedNode(chainOf('a', 100), {
    hasTargets: true,
    subscribe: () => subscription,
    change: () => undefined,
    close: () => undefined,
  })
  const { heads } = await subscribe()
  node.chain = chainOf('a', 101)
  vi.advanceTimersByTime(100)
  await processSocketData()
  expect(heads).toEqual([])
  subscription.isLive = false
  vi.advanceTimersByTime(5)
  await processSocketData()
  expect(heads).toEqual([hashOf('a', 101)])
})

describe('a move to another source', () => {
  it('shares one run with the others that move', async () => {
    const [before, after] = [scriptedNode(chainOf('a', 100)), scriptedNode(chainOf('a', 102))]
    const subscribers = [await before.subscribe(), await before.subscribe()]
    for (const { membership } of subscribers) membership.moveTo(after.source)
    const expected = [hashOf('a', 101), hashOf('a', 102)]
    await waitFor(() => expect(subscribers.map(({ heads }) => heads)).toEqual([expected, expected]))
    expect(after.source.upstreamSubscriptions).toBe(1)
  })

  it('does not change what other subscribers of the other source receive', async () => {
    const [before, after] = [scriptedNode(chainOf('a', 100)), scriptedNode(chainOf('a', 103))]
    const [moved, present] = [await before.subscribe(), await after.subscribe()]
    moved.membership.moveTo(after.source)
    const missed = [101, 102, 103].map((number) => hashOf('a', number))
    await waitFor(() => expect(moved.heads).toEqual(missed))
    after.node.chain = chainOf('a', 104)
    await waitFor(() => expect(moved.heads).toEqual([...missed, hashOf('a', 104)]))
    await waitFor(() => expect(present.heads).toEqual([hashOf('a', 104)]))
    expect(after.source.upstreamSubscriptions).toBe(2)
    moved.membership.leave()
    expect(after.source.upstreamSubscriptions).toBe(1)
  })

  it('waits until a block is delivered to all subscribers', async () => {
    let endSlice!: () => void
    const slice = new Promise<void>((resolve) => (endSlice = resolve))
    const slices = { isExhausted: () => true, next: () => slice }
    const before = scriptedNode(chainOf('a', 100), undefined, slices)
    const after = scriptedNode(chainOf('a', 102))
    const [first, second, leaving] = [
      await before.subscribe(),
      await before.subscribe(),
      await before.subscribe(),
    ]
    before.node.chain = chainOf('a', 101)
    await waitFor(() => expect(first.heads).toHaveLength(1))
    const other = scriptedNode(chainOf('a', 102))
    for (const { membership } of [first, second, leaving]) {
      membership.moveTo(other.source)
      membership.moveTo(after.source)
    }
    leaving.membership.leave()
    expect(after.source.upstreamSubscriptions).toBe(0)
    endSlice()
    const expected = [hashOf('a', 101), hashOf('a', 102)]
    await waitFor(() => expect([first.heads, second.heads]).toEqual([expected, expected]))
    expect(leaving.heads).toEqual([])
    expect([other.source.upstreamSubscriptions, after.source.upstreamSubscriptions]).toEqual([0, 1])
  })
})
