import { guardedTimeout } from '@fairlead/runtime'
import { type ChainRequest, ChainRun } from './chain-run.ts'
import type { SourceOptions } from './source-options.ts'
import type { Subscriber } from './subscriber.ts'

// Idle grace period: a client that reloads a page unsubscribes and resubscribes.
const idleGraceMs = 5_000
// Upstreams behind one URL may lag alternately.
const maxOlder = 4
// Each reads the logs of every block.
const maxContinuations = 16

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
  /** Runs that continue those of other sources. */
  readonly #continuations = new Set<ChainRun>()
  /** The latest of them by the run that it continues, with the sequence number at which it began. */
  readonly #latestContinuations = new WeakMap<
    ChainRun,
    { readonly run: ChainRun; readonly sequence: number }
  >()
  #idleTimer: NodeJS.Timeout | undefined

  constructor(options: SourceOptions) {
    this.#options = options
  }

  /** Number of subscriptions to the upstream. */
  get upstreamSubscriptions(): number {
    return (this.#current ? 1 : 0) + this.#older.size + this.#continuations.size
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

  /** Whether a run is one of this source. */
  has(run: ChainRun): boolean {
    return run === this.#current || this.#older.has(run) || this.#continuations.has(run)
  }

  /**
   * Returns a run in which a subscriber of an idle run of another source continues after its last delivered block.
   *
   * @returns undefined when there are too many runs
   */
  continuationOf(previous: ChainRun, { kind }: ChainRequest): ChainRun | undefined {
    // A subscriber to logs needs a run that has the logs of the blocks before, to report them as removed.
    if (kind === 'newHeads' && this.#current?.isLevelWith(previous)) return this.#current
    const { run, sequence } = this.#latestContinuations.get(previous) ?? {}
    const isUnchanged = sequence === previous.sequence && run?.sequence === sequence
    if (run && isUnchanged && !run.isStopped && run.isLevelWith(previous)) return run
    return this.#continue(previous)
  }

  stop(): void {
    clearTimeout(this.#idleTimer)
    for (const run of [this.#current, ...this.#older, ...this.#continuations]) if (run) this.#stop(run)
  }

  #continue(previous: ChainRun): ChainRun | undefined {
    if (this.#current && this.#continuations.size >= maxContinuations) return undefined
    const run = new ChainRun(this.#options, (ended) => this.#onRunEnd(ended), previous)
    if (this.#current) this.#continuations.add(run)
    else this.#current = run
    this.#latestContinuations.set(previous, { run, sequence: previous.sequence })
    return run
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
      this.#idleTimer = guardedTimeout(() => run.isEmpty && this.#stop(run), idleGraceMs).unref()
    }
  }

  #stop(run: ChainRun): void {
    run.stop()
    this.#older.delete(run)
    this.#continuations.delete(run)
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

  /**
   * Continues in another source, without a gap or a duplicate, once the last delivery of this one is complete. The
   * subscription ends when the other source has too many runs.
   */
  moveTo(source: ChainSource): void {
    const run = this.#run
    this.#target = source
    if (!run || source.has(run)) return
    run.whenIdle(() => {
      // The subscriber may have left, or be about to move elsewhere.
      if (this.#run !== run || this.#target !== source || run.isStopped) return
      const next = source.continuationOf(run, this.#request)
      if (!next) return this.#subscriber.overflow('the upstreams of the node have changed')
      next.add(this.#request, this.#subscriber, run.remove(this.#request, this.#subscriber))
      this.#run = next
    })
  }
}
