import { guardedTimeout } from '@fairlead/http1'
import { type ChainRequest, ChainRun } from './chain-run.ts'
import type { SourceOptions } from './source-options.ts'
import type { Leave, Subscriber } from './subscriber.ts'

// Whoever loads a page anew leaves and comes back.
const lingerMs = 5_000
// Upstreams behind one address may be late by turns.
const maxOlder = 4

/**
 * The heads and logs of one node: one subscription to its heads for all, and one call for the logs of a block.
 *
 * While the node's chain is shorter than what was followed, as after it was made anew, those who subscribed before wait for
 * what they have not heard of; those who subscribe then follow the chain as it is, in a run of their own.
 */
export class ChainSource {
  readonly #options: SourceOptions
  #current: ChainRun | undefined
  readonly #older = new Set<ChainRun>()
  #linger: NodeJS.Timeout | undefined

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** How many subscriptions at the node this takes. */
  get upstreamSubscriptions(): number {
    return (this.#current ? 1 : 0) + this.#older.size
  }

  /**
   * Joins a subscriber to the heads or to logs.
   *
   * @throws {@link UpstreamError} when the node does not answer
   */
  async join(request: ChainRequest, subscriber: Subscriber): Promise<Leave> {
    clearTimeout(this.#linger)
    const run = this.#runForNew()
    try {
      await run.started
    } catch (error) {
      this.#stop(run)
      throw error
    }
    // It may have stopped meanwhile, when the last one before had left for long.
    if (run.isStopped) return this.join(request, subscriber)
    clearTimeout(this.#linger)
    return run.add(request, subscriber)
  }

  stop(): void {
    clearTimeout(this.#linger)
    for (const run of [this.#current, ...this.#older]) if (run) this.#stop(run)
  }

  #runForNew(): ChainRun {
    const current = this.#current
    if (current && !(current.isBehind && this.#older.size < maxOlder)) return current
    if (current?.isEmpty === false) this.#older.add(current)
    else current?.stop()
    this.#current = new ChainRun(this.#options, (run) => this.#ended(run))
    return this.#current
  }

  /** Nobody needs a run any more, or its chain is lost. */
  #ended(run: ChainRun): void {
    if (run !== this.#current) this.#stop(run)
    else if (run.isEmpty) {
      clearTimeout(this.#linger)
      this.#linger = guardedTimeout(() => this.#stop(run), lingerMs).unref()
    }
  }

  #stop(run: ChainRun): void {
    run.stop()
    this.#older.delete(run)
    if (this.#current === run) this.#current = undefined
  }
}
