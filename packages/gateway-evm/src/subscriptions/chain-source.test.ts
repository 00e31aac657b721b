import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { processSocketData, waitFor } from '@fairlead/vitest/wait-for'
import type { Upstream } from '../upstream/types.ts'
import { createWebSocketUpstream, type WebSocketUpstream } from '../upstream/websocket-upstream.ts'
import { collectGarbage } from '@fairlead/vitest/collect-garbage'
import type { ChainRequest } from './chain-run.ts'
import { type ChainMembership, ChainSource } from './chain-source.ts'
import { readSubscriptionRequest } from './subscription-request.ts'
import { TimeSlices } from './time-slices.ts'

/** What a subscriber has received. */
interface Subscribed {
  readonly heads: readonly string[]
  /** Hashes of blocks, with `+` for a log and `-` for a removed one. */
  readonly logs: readonly string[]
  readonly lost: readonly string[]
  readonly membership: ChainMembership
}

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

interface TestLog {
  readonly blockHash?: string
  readonly removed?: boolean
}

const accounts = ['1', '2'].map((digit) => `0x${digit.repeat(40)}`) as [string, string]

/** Each block has one log of each account. */
function logsOf({ blockHash, address }: { blockHash: string; address: readonly string[] }) {
  return accounts
    .filter((account) => address.includes(account))
    .map((account) => ({ address: account, topics: [], blockHash }))
}

const log = pino({ level: 'silent' })

/** Creates an upstream whose chain the test sets, until the running test ends. */
function scriptedNode(...options: Parameters<typeof startScriptedNode>) {
  const started = startScriptedNode(...options)
  onTestFinished(() => started.source.stop())
  return started
}

function startScriptedNode(
  start: readonly TestBlock[],
  socket: WebSocketUpstream = createWebSocketUpstream([], 5_000, log),
  slices: Pick<TimeSlices, 'isExhausted' | 'next'> = new TimeSlices(),
) {
  const node = { chain: start, missed: 0 }
  const respond = (method: string, [tag]: readonly unknown[]): unknown => {
    if (method === 'eth_getLogs') return logsOf(tag as { blockHash: string; address: readonly string[] })
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
  /** Subscribes to heads, or to the logs of an account. */
  const subscribe = async (
    address?: string,
    onDelivery: (subscribed: Subscribed) => void = () => undefined,
  ): Promise<Subscribed> => {
    const heads: string[] = []
    const logs: string[] = []
    const lost: string[] = []
    const request = readSubscriptionRequest(address === undefined ? ['newHeads'] : ['logs', { address }])
    const membership = await source.join(request as ChainRequest, {
      deliver: (text) => {
        const { hash, blockHash, removed } = JSON.parse(text) as TestBlock & TestLog
        if (blockHash === undefined) heads.push(hash)
        else logs.push(`${removed ? '-' : '+'}${blockHash}`)
        onDelivery(subscribed)
      },
      overflow: (reason) => lost.push(reason),
    })
    const subscribed = { heads, logs, lost, membership }
    return subscribed
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

/** Waits until a subscriber has received exactly these heads. */
const expectHeads = ({ heads, lost }: Subscribed, from: number, to: number) =>
  waitFor(() =>
    expect([heads, lost]).toEqual([
      Array.from({ length: to - from + 1 }, (_, index) => hashOf('a', from + index)),
      [],
    ]),
  )

describe('a move to another source', () => {
  it('shares one run with the others that move', async () => {
    const [before, after] = [scriptedNode(chainOf('a', 100)), scriptedNode(chainOf('a', 102))]
    const subscribers = [await before.subscribe(), await before.subscribe(accounts[0])]
    for (const { membership } of subscribers) membership.moveTo(after.source)
    await waitFor(() => expect(subscribers[0]?.heads).toEqual([hashOf('a', 101), hashOf('a', 102)]))
    await waitFor(() =>
      expect(subscribers[1]?.logs).toEqual([`+${hashOf('a', 101)}`, `+${hashOf('a', 102)}`]),
    )
    expect(after.source.upstreamSubscriptions).toBe(1)
  })

  it('continues at the blocks of the other source, behind its head', async () => {
    const [before, after] = [scriptedNode(chainOf('a', 100)), scriptedNode(chainOf('a', 103))]
    const [moved, present] = [await before.subscribe(), await after.subscribe()]
    moved.membership.moveTo(after.source)
    await expectHeads(moved, 101, 103)
    after.node.chain = chainOf('a', 104)
    await expectHeads(moved, 101, 104)
    await expectHeads(present, 104, 104)
    expect(after.source.upstreamSubscriptions).toBe(2)
    moved.membership.leave()
    expect(after.source.upstreamSubscriptions).toBe(1)
  })

  it('to heads joins the run of the others that have the same head', async () => {
    const [before, after] = [scriptedNode(chainOf('a', 100)), scriptedNode(chainOf('a', 100))]
    const [moved, present] = [await before.subscribe(), await after.subscribe()]
    moved.membership.moveTo(after.source)
    after.node.chain = chainOf('a', 101)
    for (const subscribed of [moved, present]) await expectHeads(subscribed, 101, 101)
    expect(after.source.upstreamSubscriptions).toBe(1)
  })

  it('waits until a block is delivered to all subscribers', async () => {
    let endSlice!: () => void
    const slice = new Promise<void>((resolve) => (endSlice = resolve))
    const slices = { isExhausted: () => true, next: () => slice }
    const before = scriptedNode(chainOf('a', 100), undefined, slices)
    const [after, other] = [scriptedNode(chainOf('a', 102)), scriptedNode(chainOf('a', 102))]
    const [first, second, leaving] = [
      await before.subscribe(),
      await before.subscribe(),
      await before.subscribe(),
    ]
    before.node.chain = chainOf('a', 101)
    await waitFor(() => expect(first.heads).toHaveLength(1))
    for (const { membership } of [first, second, leaving]) {
      membership.moveTo(other.source)
      membership.moveTo(after.source)
    }
    leaving.membership.leave()
    expect(after.source.upstreamSubscriptions).toBe(0)
    endSlice()
    for (const subscribed of [first, second]) await expectHeads(subscribed, 101, 102)
    expect(leaving.heads).toEqual([])
    expect([other.source.upstreamSubscriptions, after.source.upstreamSubscriptions]).toEqual([0, 1])
  })

  it('in which it already is begins no second run', async () => {
    const { source, subscribe } = scriptedNode(chainOf('a', 100))
    const { membership } = await subscribe(accounts[0])
    membership.moveTo(source)
    expect(source.upstreamSubscriptions).toBe(1)
  })

  it('reports logs of all blocks before as removed, also after another subscriber has moved', async () => {
    const [before, after] = [scriptedNode(chainOf('a', 100)), scriptedNode(chainOf('a', 100))]
    const [first, second] = [await before.subscribe(accounts[0]), await before.subscribe(accounts[1])]
    first.membership.moveTo(after.source)
    for (const { node } of [before, after]) node.chain = chainOf('a', 101)
    const added = `+${hashOf('a', 101)}`
    for (const { logs } of [first, second]) await waitFor(() => expect(logs).toEqual([added]))
    second.membership.moveTo(after.source)
    after.node.chain = [
      ...chainOf('a', 100),
      { ...chainOf('b', 101)[101], parentHash: hashOf('a', 100) },
    ] as TestBlock[]
    const replaced = [added, `-${hashOf('a', 101)}`, `+${hashOf('b', 101)}`]
    for (const { logs } of [first, second]) await waitFor(() => expect(logs).toEqual(replaced))
  })

  it('into a run whose subscribers have left keeps that run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const [before, after] = [scriptedNode(chainOf('a', 100)), scriptedNode(chainOf('a', 100))]
    const [first, second] = [await before.subscribe(), await before.subscribe()]
    first.membership.moveTo(after.source)
    first.membership.leave()
    second.membership.moveTo(after.source)
    vi.advanceTimersByTime(6_000)
    vi.useRealTimers()
    after.node.chain = chainOf('a', 101)
    await expectHeads(second, 101, 101)
  })

  it('is possible for a limited number of runs', async () => {
    const after = scriptedNode(chainOf('a', 100))
    await after.subscribe()
    const moved: Subscribed[] = []
    for (let count = 0; count < 17; count += 1) {
      const subscribed = await scriptedNode(chainOf('a', 100)).subscribe(accounts[0])
      moved.push(subscribed)
      subscribed.membership.moveTo(after.source)
    }
    expect(after.source.upstreamSubscriptions).toBe(17)
    expect(moved.map(({ lost }) => lost)).toEqual([
      ...Array.from({ length: 16 }, () => []),
      ['the upstreams of the node have changed'],
    ])
    // A chain that was reset is still followed for new subscribers.
    after.node.chain = chainOf('a', 5)
    await waitFor(() => expect(after.node.missed).toBeGreaterThan(16))
    const present = await after.subscribe()
    after.node.chain = chainOf('a', 6)
    await expectHeads(present, 6, 6)
  })

  it('retains nothing of the sources before', async () => {
    const chain = chainOf('a', 100)
    const sources: WeakRef<ChainSource>[] = []
    const moveOften = async (): Promise<ChainSource> => {
      let { source, subscribe } = startScriptedNode(chain)
      const { membership } = await subscribe(accounts[0])
      for (let move = 0; move < 10; move += 1) {
        sources.push(new WeakRef(source))
        const before = source
        ;({ source, subscribe } = startScriptedNode(chain))
        membership.moveTo(source)
        before.stop()
      }
      return source
    }
    const source = await moveOften()
    onTestFinished(() => source.stop())
    // The run that the last one continues is known while it exists.
    await waitFor(() => {
      collectGarbage()
      expect(sources.filter((each) => each.deref()).length).toBeLessThan(2)
    })
  })
})

it('a run whose last subscriber leaves during a delivery ends', async () => {
  const [before, after] = [scriptedNode(chainOf('a', 99)), scriptedNode(chainOf('a', 100))]
  await after.subscribe()
  const moved = await before.subscribe(undefined, ({ membership }) => membership.leave())
  after.node.chain = chainOf('a', 102)
  moved.membership.moveTo(after.source)
  await expectHeads(moved, 100, 100)
  await processSocketData()
  expect(after.source.upstreamSubscriptions).toBe(1)
})
