import { guardedTimeout } from '@fairlead/http1'
import { type ChainRequest, ChainRun } from './chain-run.ts'
import type { SourceOptions } from './source-options.ts'
import type { Subscriber } from './subscriber.ts'

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
  /** Runs that continue those of other sources, by these. */
  readonly #continuations = new WeakMap<ChainRun, ChainRun>()
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
  async join(request: ChainRequest, subscriber: Subscriber): Promise<ChainMembership> {
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
    return new ChainMembership(run, request, subscriber)
  }

  /** Returns a run that continues an idle run of another source after its last delivered block. */
  continuationOf(previous: ChainRun): ChainRun {
    const existing = this.#continuations.get(previous)
    if (existing?.isStopped === false && existing.isLevelWith(previous)) return existing
    const run = new ChainRun(this.#options, (ended) => this.#onRunEnd(ended), previous)
    if (this.#current) this.#older.add(run)
    else this.#current = run
    this.#continuations.set(previous, run)
    return run
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

/** A subscriber's place in a run, which can change. */
export class ChainMembership {
  readonly #request: ChainRequest
  readonly #subscriber: Subscriber
  #run: ChainRun | undefined
  /** The source to move to. */
  #target: ChainSource | undefined

  constructor(run: ChainRun, request: ChainRequest, subscriber: Subscriber) {
    this.#request = request
    this.#subscriber = subscriber
    this.#run = run
    run.add(request, subscriber)
  }

  leave(): void {
    this.#run?.remove(this.#request, this.#subscriber)
    this.#run = undefined
  }

  /** Continues in another source, without a gap or a duplicate, once the last delivery of this one is complete. */
  moveTo(source: ChainSource): void {
    const run = this.#run
    this.#target = source
    run?.whenIdle(() => {
      // The subscriber may have left, or be about to move elsewhere.
      if (this.#run !== run || this.#target !== source || run.isStopped) return
      const next = source.continuationOf(run)
      next.add(this.#request, this.#subscriber, run.remove(this.#request, this.#subscriber))
      this.#run = next
    })
  }
}
