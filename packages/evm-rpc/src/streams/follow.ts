import { FairleadError, longestMs } from '@fairlead/core'
import type { Hash32, Quantity } from '../generated/index.ts'
import type { Transport } from '../transport.ts'
import { requireInteger } from '../transports/configuration.ts'
import { assertHash32 } from '../values/guards.ts'
import { toNumber, toQuantity } from '../values/hex.ts'
import { headerOf, type MinedHeader, watchHeads } from './heads.ts'
import { inOrder } from './ordered.ts'
import { isTemporary, pauseAfter } from './pausing.ts'
import { createRecentChain } from './recent-chain.ts'
import { type StreamSource, transportOf } from './source.ts'
import type { StreamOptions } from './stream.ts'

/** A block by number and hash: enough to resume after it, even when it has been reorged out in the meantime. */
export interface BlockPosition {
  readonly number: Quantity
  readonly hash: Hash32
}

/** Options for following the chain. */
export interface FollowOptions extends StreamOptions {
  /** Number of blocks that must follow a block before it is delivered. Default 0. */
  readonly confirmations?: number | undefined
  /** Polling interval for the latest block in milliseconds, when the node does not push it. Default 4000. */
  readonly pollingMs?: number | undefined
  /** Number of latest headers that are stored, and so the maximum depth of a reorganization. Default 256. */
  readonly window?: number | undefined
  /** Maximum number of concurrent requests for missing blocks. Default 8. */
  readonly concurrency?: number | undefined
  /**
   * Maximum number of consecutive temporary failures that are retried, with increasing delays of up to five seconds.
   * Default 10.
   */
  readonly retries?: number | undefined
  /** Source for missing blocks, for example over HTTP. Default: the source of the stream. */
  readonly backfill?: StreamSource | undefined
}

/** The events of the followed chain; `loaded` is what the caller loads for a block. */
export type Followed<loaded> =
  | { readonly type: 'block'; readonly header: MinedHeader; readonly loaded: loaded }
  | {
      readonly type: 'reorg'
      readonly removed: readonly MinedHeader[]
      readonly commonAncestor: BlockPosition
    }
  /** Blocks that are too old to be reorganized, both ends included. The caller loads them itself. */
  | { readonly type: 'range'; readonly from: number; readonly to: number }

export interface FollowPlan<loaded> {
  readonly operation: string
  /** Whether `load` needs full transactions. */
  readonly full: boolean
  /** Whether a pushed header is sufficient for `load`. */
  readonly headerSuffices: boolean
  /** Whether old blocks are delivered as a range. */
  readonly ranges: boolean
  readonly from?: number | BlockPosition | undefined
  load(block: unknown, header: MinedHeader, signal: AbortSignal): loaded | Promise<loaded>
}

interface Linked<loaded> {
  readonly header: MinedHeader
  readonly number: number
  readonly loaded: loaded
}

/** Follows the canonical chain by parent hashes, so that no block is missing and none is delivered twice. */
export async function* follow<loaded>(
  source: StreamSource,
  options: FollowOptions,
  plan: FollowPlan<loaded>,
  signal: AbortSignal,
): AsyncGenerator<Followed<loaded>, void, undefined> {
  type Events = AsyncGenerator<Followed<loaded>, boolean, undefined>
  const { confirmations = 0, pollingMs = 4_000, window = 256, concurrency = 8, retries = 10 } = options
  const { operation, from, ranges, headerSuffices } = plan
  const transport: Transport = transportOf(source)
  const blocks = transportOf(options.backfill ?? source)
  const chain = createRecentChain(window)
  const heads = watchHeads(transport, pollingMs, signal)
  const anchor = typeof from === 'object' ? from : undefined
  let failures = 0
  let missing = 'the node does not give the blocks that it announces'

  const gap = (reason: string) => new FairleadError('STREAM_GAP', { operation, reason })
  const link = async (block: unknown, stop: AbortSignal): Promise<Linked<loaded> | undefined> => {
    const header = headerOf(block)
    if (!header) return undefined
    return { header, number: toNumber(header.number), loaded: await plan.load(block, header, stop) }
  }
  const headerByHash = async (hash: Hash32) =>
    headerOf(await blocks.request({ method: 'eth_getBlockByHash', params: [hash, false] }, { signal }))
  const byHash = async (hash: Hash32) =>
    link(
      await blocks.request({ method: 'eth_getBlockByHash', params: [hash, plan.full] }, { signal }),
      signal,
    )
  const byNumber = async (number: number, stop: AbortSignal = signal) => {
    const params = [toQuantity(number), plan.full]
    const block = await link(
      await blocks.request({ method: 'eth_getBlockByNumber', params }, { signal: stop }),
      stop,
    )
    if (!block || block.number === number) return block
    const rule = 'must be the requested number'
    throw new FairleadError('DECODE_INVALID', {
      operation: 'eth_getBlockByNumber',
      path: '$.result.number',
      rule,
    })
  }
  const deliver = ({ header, loaded }: Linked<loaded>): Followed<loaded> => {
    chain.push(header)
    failures = 0
    return { type: 'block', header, loaded }
  }
  const heightOf = (header: MinedHeader | undefined) => (header ? toNumber(header.number) : -1)

  const resume = async ({ number, hash }: BlockPosition): Promise<boolean> => {
    const header = await headerByHash(hash)
    if (header) {
      chain.push(header)
      return true
    }
    missing = 'the node does not know the block to go on from'
    const params = [number, false]
    const canonical = headerOf(await blocks.request({ method: 'eth_getBlockByNumber', params }, { signal }))
    if (canonical && canonical.hash !== hash) throw gap(missing)
    return false
  }

  // Each of these functions returns whether it reached the chain head that the node has reported.

  async function* begin(target: number): Events {
    if (anchor) return await resume(anchor)
    const start = typeof from === 'number' ? from : target
    if (start > target || start < 0) return true
    if (ranges && target - start > 2 * window) return yield* skip(start, target - window)
    const first = await byNumber(start)
    if (!first) return false
    yield deliver(first)
    return true
  }

  async function* skip(start: number, end: number): Events {
    const params = [toQuantity(end), false]
    const before = headerOf(await blocks.request({ method: 'eth_getBlockByNumber', params }, { signal }))
    if (!before) return false
    yield { type: 'range', from: start, to: end }
    // The next block must be a descendant of this one, so the blocks in between belong to the same chain.
    chain.restart(before)
    failures = 0
    return true
  }

  async function* reorganize(candidate: Linked<loaded>): Events {
    const branch = [candidate]
    let ancestor: BlockPosition | undefined
    while (!ancestor) {
      const low = branch.at(-1) as Linked<loaded>
      const { parentHash } = low.header
      const parent = low.number - 1
      const first = chain.first as MinedHeader
      const below = heightOf(first) - 1
      if (chain.at(parent)?.hash === parentHash || (parent === below && first.parentHash === parentHash)) {
        ancestor = { number: toQuantity(parent), hash: parentHash }
      } else if (parent > below) {
        const block = await byHash(parentHash)
        if (!block) return false
        branch.push(block)
      } else if (!anchor && !chain.trimmed) {
        // All delivered blocks have been reorged out.
        ancestor = { number: toQuantity(parent), hash: parentHash }
      } else {
        // Requests the headers that were delivered before the stream resumed, up to the window size.
        const older = chain.full || chain.trimmed ? undefined : await headerByHash(first.parentHash)
        if (!older) throw gap(`a reorganization is deeper than the ${window} blocks that are kept`)
        chain.prepend(older)
      }
    }
    const removed = chain.cutAbove(toNumber(ancestor.number))
    yield { type: 'reorg', removed, commonAncestor: ancestor }
    for (const block of branch.toReversed()) yield deliver(block)
    return true
  }

  async function* advance(head: MinedHeader): Events {
    const height = heightOf(head)
    const target = height - confirmations
    if (!chain.tip && !(yield* begin(target))) return false
    while (chain.tip && heightOf(chain.tip) < target) {
      const { hash } = chain.tip
      const next = heightOf(chain.tip) + 1
      // A pushed header may have been reorged out since. The reader expects that only without confirmations.
      const pushed = headerSuffices && confirmations === 0 ? heads.removeByParent(hash) : undefined
      if (pushed) {
        const block = await link(pushed, signal)
        if (block) yield deliver(block)
        continue
      }
      const hasLargeGap = ranges && target - next > 2 * window
      for await (const block of inOrder(
        upTo(next, hasLargeGap ? next : target),
        concurrency,
        byNumber,
        signal,
      )) {
        if (!block) return false
        if (block.header.parentHash !== chain.tip?.hash) {
          if (!(yield* reorganize(block))) return false
          break
        }
        yield deliver(block)
      }
      if (hasLargeGap && !(yield* skip(heightOf(chain.tip) + 1, target - window))) return false
    }
    // A reorganization does not always make the chain longer.
    const recorded = confirmations === 0 ? chain.at(height) : undefined
    if (recorded && recorded.hash !== head.hash) {
      const block = await byNumber(height)
      if (!block) return false
      if (block.header.hash !== recorded.hash) return yield* reorganize(block)
    }
    return true
  }

  try {
    while (!signal.aborted) {
      let failure: unknown
      try {
        const head = await heads.next()
        if (!head || (yield* advance(head))) {
          failures = 0
          continue
        }
      } catch (error) {
        if (!isTemporary(error)) throw error
        failure = error
      }
      if (++failures > retries) throw failure ?? gap(missing)
      await pauseAfter(failures, signal)
      heads.poll()
    }
  } finally {
    heads.close()
  }
}

function* upTo(first: number, last: number): Generator<number> {
  for (let number = first; number <= last; number++) yield number
}

/**
 * Parses the start position of a stream.
 *
 * @throws FairleadError `CONFIG_INVALID`
 */
export function startOf(
  from: number | bigint | Quantity | BlockPosition | undefined,
): number | BlockPosition | undefined {
  if (from === undefined) return undefined
  if (typeof from === 'object') {
    assertHash32(from.hash, 'from.hash')
    toNumber(from.number)
    return { number: from.number, hash: from.hash.toLowerCase() }
  }
  return toNumber(typeof from === 'string' ? from : toQuantity(from))
}

/**
 * Validates the numeric options.
 *
 * @throws FairleadError `CONFIG_INVALID`
 */
export function checkFollowOptions(options: FollowOptions): void {
  const minimums = { confirmations: 0, pollingMs: 1, window: 1, concurrency: 1, retries: 0 } as const
  for (const [option, min] of Object.entries(minimums)) {
    const value = options[option as keyof typeof minimums]
    const max = option === 'pollingMs' ? longestMs : Infinity
    if (value !== undefined) requireInteger(option, value, min, max)
  }
}
