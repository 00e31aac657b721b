import { type Head, readHead } from './head.ts'
import type { Upstream } from '../upstream/types.ts'
import type { BlockReference, ChainView } from './chain-view.ts'

const maxRetainedBlocks = 256
// Below the block time of any chain.
const minBlockMs = 200
const trustedBlocks = 3

/** The chain of a node, derived from the chain heads that its upstreams report. */
export class ObservedChain implements ChainView {
  readonly #isShared: boolean
  readonly #onUse: () => void
  readonly #staleMs: number
  readonly #listeners = new Set<(lowest: number) => void>()
  /** Hashes of former chain heads by block number, lowest first. */
  readonly #hashes = new Map<number, string>()
  #head: BlockReference | undefined
  #finalized: number | undefined
  #observedAt = -Infinity
  #isObserving = false

  /**
   * @param isShared - whether there are several upstreams
   * @param staleMs - how long an observation is valid, in milliseconds
   * @param onUse - called on every access
   */
  constructor(isShared: boolean, staleMs: number, onUse: () => void) {
    this.#isShared = isShared
    this.#staleMs = staleMs
    this.#onUse = onUse
  }

  get head(): BlockReference | undefined {
    this.#onUse()
    return this.#isFresh() ? this.#head : undefined
  }

  get finalized(): number | undefined {
    this.#onUse()
    return this.#isFresh() ? this.#finalized : undefined
  }

  doubts(number: number): boolean {
    const head = this.#head
    if (!this.#isShared || !head || number <= head.number + trustedBlocks || !this.#isFresh()) return false
    const blocksSince = (performance.now() - this.#observedAt) / minBlockMs
    return number > head.number + trustedBlocks + blocksSince
  }

  onReorganized(listener: (lowest: number) => void): void {
    this.#onUse()
    this.#listeners.add(listener)
  }

  /**
   * Records a chain head, after a check for reorganized blocks before it.
   *
   * @param upstream - upstream that reported it
   * @param finalized - number of the final block, according to the upstream or to the depth of the chain
   */
  async observe(
    { number, hash, parentHash }: Head,
    finalized: number | undefined,
    upstream: Upstream,
  ): Promise<void> {
    if (this.#isObserving) return
    this.#isObserving = true
    try {
      const lowest = await this.#lowestReplaced({ number, hash, parentHash }, upstream)
      if (lowest !== undefined) this.#replaced(lowest)
      this.#record(number - 1, parentHash)
      this.#record(number, hash)
      this.#head = { number, hash, parentHash }
      this.#finalized = finalized
      this.#observedAt = performance.now()
      if (lowest !== undefined) for (const listener of this.#listeners) listener(lowest)
    } finally {
      this.#isObserving = false
    }
  }

  /** Clears all state, because the upstreams are on another chain now. */
  reset(): void {
    this.#hashes.clear()
    this.#head = this.#finalized = undefined
    for (const listener of this.#listeners) listener(0)
  }

  #isFresh(): boolean {
    return performance.now() - this.#observedAt < this.#staleMs
  }

  /**
   * Returns the number of the lowest block that may have been replaced. 0 when no observed block is still on the chain.
   */
  async #lowestReplaced(next: BlockReference, upstream: Upstream): Promise<number | undefined> {
    const last = this.#head
    if (!last || next.hash === last.hash) return undefined
    const lower = [...this.#hashes].filter(([number]) => number <= next.number).toSorted(([a], [b]) => a - b)
    // All blocks below an unchanged block are unchanged too.
    let [stayed, replaced] = [-1, lower.length]
    for (let at = lower.length - 1; replaced - stayed > 1; at = Math.floor((stayed + replaced) / 2)) {
      const [number, hash] = lower[at] as [number, string]
      if ((await hashAt(number, next, upstream)) === hash) stayed = at
      else replaced = at
    }
    const [highest] = lower[stayed] ?? [-1]
    return highest === last.number ? undefined : highest + 1
  }

  #replaced(lowest: number): void {
    for (const number of this.#hashes.keys()) if (number >= lowest) this.#hashes.delete(number)
  }

  #record(number: number, hash: string): void {
    this.#hashes.delete(number)
    this.#hashes.set(number, hash)
    if (this.#hashes.size <= maxRetainedBlocks) return
    for (const oldest of this.#hashes.keys()) {
      this.#hashes.delete(oldest)
      break
    }
  }
}

async function hashAt(number: number, next: BlockReference, upstream: Upstream): Promise<string | undefined> {
  if (number === next.number) return next.hash
  if (number === next.number - 1) return next.parentHash
  const signal = AbortSignal.timeout(2_000)
  const block = await upstream.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, false], signal)
  return block === null ? undefined : readHead(block).hash
}
