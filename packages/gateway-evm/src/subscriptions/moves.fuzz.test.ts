import { setImmediate as nextTick } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { pino } from 'pino'
import { waitFor } from '@fairlead/vitest/wait-for'
import { randomNumbers } from '../testing/random-numbers.ts'
import type { Upstream } from '../upstream/types.ts'
import { createWebSocketUpstream } from '../upstream/websocket-upstream.ts'
import type { ChainRequest } from './chain-run.ts'
import { type ChainMembership, ChainSource } from './chain-source.ts'
import { readSubscriptionRequest } from './subscription-request.ts'
import { TimeSlices } from './time-slices.ts'

interface TestBlock {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
}

const steps = 2_000
const leastSubscribers = 5
const mostSubscribers = 12
const sourceCount = 3
const maxDelay = 3
const errorShare = 0.02
const accounts = ['1', '2'].map((digit) => `0x${digit.repeat(40)}`)
const log = pino({ level: 'silent' })

/** A chain whose blocks each have one log of each account. */
class TestChain {
  blocks: TestBlock[] = []
  readonly #byHash = new Map<string, TestBlock>()

  constructor() {
    this.extend(50)
  }

  extend(count: number): void {
    for (let added = 0; added < count; added += 1) {
      const number = `0x${this.blocks.length.toString(16)}`
      const block = { number, hash: `0x_${this.#byHash.size}`, parentHash: this.blocks.at(-1)?.hash ?? '0x' }
      this.#byHash.set(block.hash, block)
      this.blocks.push(block)
    }
  }

  /** Replaces the last blocks by one more. */
  reorganize(depth: number): void {
    this.blocks.length -= depth
    this.extend(depth + 1)
  }

  respond(method: string, [param]: readonly unknown[]): unknown {
    if (method === 'eth_getLogs') {
      const { blockHash, address = accounts } = param as { blockHash: string; address?: readonly string[] }
      return address.map((account) => ({ address: account, topics: [], blockHash }))
    }
    if (param === 'latest') return this.blocks.at(-1)
    return this.blocks.find(({ number }) => number === param) ?? this.#byHash.get(param as string) ?? null
  }
}

/** A subscriber that checks each notification against the previous ones. */
class CheckedSubscriber {
  readonly isOfLogs: boolean
  readonly problems: string[] = []
  /** Blocks that were received and not removed, of a subscription to logs; the heads, of the others. */
  readonly received: string[] = []
  membership: ChainMembership | undefined
  #hasLeft = false
  #head: TestBlock | undefined

  constructor(isOfLogs: boolean) {
    this.isOfLogs = isOfLogs
  }

  deliver(text: string): void {
    const { blockHash, removed, ...block } = JSON.parse(text) as TestBlock & {
      readonly blockHash?: string
      readonly removed?: boolean
    }
    if (this.#hasLeft) this.problems.push('a notification after the end')
    if (blockHash === undefined) this.#onHead(block)
    else if (!removed) {
      if (this.received.includes(blockHash)) this.problems.push(`${blockHash} twice`)
      this.received.push(blockHash)
    } else if (this.received.pop() !== blockHash) this.problems.push(`${blockHash} removed out of order`)
  }

  overflow(reason: string): void {
    this.problems.push(reason)
  }

  leave(): void {
    this.#hasLeft = true
    this.membership?.leave()
  }

  #onHead(block: TestBlock): void {
    const isNext = !this.#head || block.parentHash === this.#head.hash
    // Another branch begins at a block before the head.
    const isBranch = this.#head !== undefined && Number(block.number) <= Number(this.#head.number)
    if (!isNext && !isBranch) this.problems.push(`a gap before ${block.hash}`)
    this.#head = block
    this.received.push(block.hash)
  }
}

it.each([1, 2, 3, 4])('subscriptions that move have no gap and no duplicate: seed %i', async (seed) => {
  const random = randomNumbers(seed)
  const pick = <item>(items: readonly item[]): item => items[Math.floor(random() * items.length)] as item
  const chain = new TestChain()
  const respond = async (read: () => unknown, signal: AbortSignal) => {
    for (let ticks = Math.floor(random() * maxDelay); ticks > 0; ticks -= 1) await nextTick()
    signal.throwIfAborted()
    if (random() < errorShare) throw new Error('The upstream failed.')
    return read()
  }
  const upstream = {
    call: (method: string, params: readonly unknown[], signal: AbortSignal) =>
      respond(() => chain.respond(method, params), signal),
    batch: (calls: readonly (readonly [string, readonly unknown[]])[], signal: AbortSignal) =>
      respond(() => calls.map(([method, params]) => chain.respond(method, params)), signal),
  } as unknown as Upstream
  const sources = Array.from({ length: sourceCount }, () => {
    const socket = createWebSocketUpstream([], 5_000, log)
    // Short slices, so that a delivery is often interrupted.
    return new ChainSource({
      upstream,
      socket,
      pollMs: 1,
      timeoutMs: 5_000,
      log,
      slices: new TimeSlices(0.05),
    })
  })
  onTestFinished(() => sources.forEach((source) => source.stop()))
  const active = new Set<CheckedSubscriber>()
  const subscribers: CheckedSubscriber[] = []
  const join = async () => {
    const address = pick([undefined, ...accounts])
    const subscriber = new CheckedSubscriber(address !== undefined)
    const request = readSubscriptionRequest(address === undefined ? ['newHeads'] : ['logs', { address }])
    const joining = pick(sources).join(request as ChainRequest, subscriber)
    subscriber.membership = await joining.catch(() => undefined)
    if (!subscriber.membership) return
    active.add(subscriber)
    subscribers.push(subscriber)
  }
  while (active.size < leastSubscribers) await join()
  for (let step = 0; step < steps; step += 1) {
    const chosen = random()
    const subscriber = pick([...active])
    if (chosen < 0.3) chain.extend(1 + Math.floor(random() * 3))
    else if (chosen < 0.4) chain.reorganize(1 + Math.floor(random() * 3))
    else if (chosen < 0.75) subscriber.membership?.moveTo(pick(sources))
    else if (chosen < 0.82 && active.size < mostSubscribers) await join()
    else if (chosen < 0.9 && active.size > leastSubscribers) {
      subscriber.leave()
      active.delete(subscriber)
    }
    for (let ticks = Math.floor(random() * 2 * maxDelay); ticks > 0; ticks -= 1) await nextTick()
  }
  chain.extend(1)
  const tip = chain.blocks.at(-1)?.hash
  await waitFor(() => expect([...active].filter(({ received }) => received.at(-1) !== tip)).toEqual([]))
  expect(subscribers.flatMap(({ problems }) => problems)).toEqual([])
  const hashes = chain.blocks.map(({ hash }) => hash)
  for (const { received, isOfLogs } of active)
    if (isOfLogs) expect(received).toEqual(hashes.slice(-received.length))
  for (const subscriber of active) subscriber.leave()
  // Only the runs for new subscribers remain, for a while.
  expect(sources.map(({ upstreamSubscriptions }) => upstreamSubscriptions <= 1)).toEqual([true, true, true])
})
