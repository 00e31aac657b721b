import { expect, it, onTestFinished, vi } from 'vitest'
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
    slices: new TimeSlices(),
  })
  onTestFinished(() => source.stop())
  const subscribe = async () => {
    const heads: string[] = []
    const lost: string[] = []
    const unsubscribe = await source.join(
      { kind: 'newHeads', key: 'newHeads', size: 0 },
      {
        deliver: (text) => heads.push((JSON.parse(text) as TestBlock).hash),
        overflow: (reason) => lost.push(reason),
      },
    )
    return { heads, lost, unsubscribe }
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
  before.unsubscribe()
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
  before.unsubscribe()
  during.unsubscribe()
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
