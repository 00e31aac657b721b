import { guardedTimeout } from '@fairlead/http1'
import { type ChainRequest, ChainRun } from './chain-run.ts'
import type { SourceOptions } from './source-options.ts'
import type { Unsubscribe, Subscriber } from './subscriber.ts'

// Idle grace period: a client that reloads a page unsubscribes and resubscribes.
const idleGraceMs = 5_000
// Upstreams behind one URL may lag alternately.
const maxOlder = 4

/**
 * Source of the headers and logs of one node: one shared subscription to its headers, and one call for the logs of a
 * block.
 *
 * While the upstream's chain is shorter than what was tracked, for example after a reset, earlier subscribers wait for
 * blocks that they have not received. New subscribers then follow the current chain, in a separate run.
 */
export class ChainSource {
  readonly #options: SourceOptions
  #current: ChainRun | undefined
  readonly #older = new Set<ChainRun>()
  #idleTimer: NodeJS.Timeout | undefined

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** Number of subscriptions to the upstream. */
  get upstreamSubscriptions(): number {
    return (this.#current ? 1 : 0) + this.#older.size
  }

  /**
   * Adds a subscriber to headers or logs.
   *
   * @throws {@link UpstreamError} when the upstream does not respond
   */
  async join(request: ChainRequest, subscriber: Subscriber): Promise<Unsubscribe> {
    clearTimeout(this.#idleTimer)
    const run = this.#runForNew()
    try {
      await run.started
    } catch (error) {
      this.#stop(run)
      throw error
    }
    // The run may have stopped meanwhile, when its idle grace period ended.
    if (run.isStopped) return this.join(request, subscriber)
    clearTimeout(this.#idleTimer)
    return run.add(request, subscriber)
  }

  stop(): void {
    clearTimeout(this.#idleTimer)
    for (const run of [this.#current, ...this.#older]) if (run) this.#stop(run)
  }

  #runForNew(): ChainRun {
    const current = this.#current
    if (current && !(current.isLagging && this.#older.size < maxOlder)) return current
    if (current?.isEmpty === false) this.#older.add(current)
    else current?.stop()
    this.#current = new ChainRun(this.#options, (run) => this.#onRunEnd(run))
    return this.#current
  }

  /** Called when a run has no subscribers any more, or when its chain is lost. */
  #onRunEnd(run: ChainRun): void {
    if (run !== this.#current) this.#stop(run)
    else if (run.isEmpty) {
      clearTimeout(this.#idleTimer)
      this.#idleTimer = guardedTimeout(() => this.#stop(run), idleGraceMs).unref()
    }
  }

  #stop(run: ChainRun): void {
    run.stop()
    this.#older.delete(run)
    if (this.#current === run) this.#current = undefined
  }
}
