/** Connections that quick calls share before more of them are pipelined on each. */
export const maxSharedConnections = 4

/** Calls that are pipelined on a connection when no further connection may be opened. */
export const pipelineDepthAtLimit = 16

const maxPipelineDepth = 64
// How many answers a measure goes back.
const smoothing = 16
// There are few of these, and one says much.
const smoothingOfTests = 2
const testedEveryMs = 1_000

// The time that a quick call may lose to those before it.
const longestPipelineMs = 4
// A connection whose first call takes longer takes no more.
const stalledMs = 10
// How much longer than alone a pipelined call may take, where that is more. Less than two, or calls would wait behind
// each other at an upstream that processes one after the other.
const tolerance = 1.5
// Calls leave a connection that is silent for longer than this.
const longestToleranceMs = 100
const probationAnswers = 16
const answersPerStep = 32

/**
 * Adapts how many calls are pipelined on a connection. All times are those of `eventLoopIdleMs`. It measures how long a call
 * takes behind another one: next to nothing at an upstream that answers in bursts, and all of the processing at one that
 * handles calls one after the other. An overloaded upstream is slow on every connection: as long as it answers in bursts, calls
 * may wait for about as long as one takes with nothing before it, as more connections would only cost both sides more.
 */
export class AdaptivePipelining {
  // Of calls that had others before them.
  #behindMs = 0
  // Of calls that had nothing before them.
  #aloneMs = 0
  #probation = maxPipelineDepth
  #answers = 0
  #testedAt: number | undefined

  /** How many calls may be on a connection now. */
  get pipelineDepth(): number {
    const fitting = Math.floor(Math.max(longestPipelineMs, this.#toleratedMs()) / this.#behindMs)
    return Math.max(1, Math.min(fitting, this.#probation))
  }

  // A private getter would be called by way of the engine's runtime.
  #toleratedMs(): number {
    return Math.min(longestToleranceMs, tolerance * this.#aloneMs)
  }

  /**
   * Tells whether to pipeline one call as a test. A measurement that was taken while the upstream or the network was overloaded
   * would otherwise disable pipelining for good.
   *
   * @param now - on the clock of `performance.now()`
   */
  shouldTest(now: number): boolean {
    this.#testedAt ??= now
    const isDue = this.pipelineDepth === 1 && now - this.#testedAt >= testedEveryMs
    if (isDue || this.pipelineDepth > 1) this.#testedAt = now
    return isDue
  }

  /**
   * @param tookMs - since the call was the first on its connection
   * @param wasAlone - whether nothing stood before it when it was sent
   */
  onAnswered(tookMs: number, wasAlone: boolean): void {
    if (wasAlone) this.#aloneMs += (tookMs - this.#aloneMs) / smoothing
    else
      this.#behindMs += (tookMs - this.#behindMs) / (this.pipelineDepth === 1 ? smoothingOfTests : smoothing)
    if (this.#probation < maxPipelineDepth && ++this.#answers % answersPerStep === 0) this.#probation++
  }

  /**
   * Notes that the upstream closed a connection with pipelined calls, which it does not answer.
   *
   * @param answered - how many calls it did answer
   */
  onReset(answered: number): void {
    // Some upstreams end a connection after many calls, which is rare enough to stay deep.
    if (answered < probationAnswers) this.#probation = 1
  }

  /** Tells whether the first call on a connection delays the others. */
  isStalled(firstSince: number, loopIdleMs: number): boolean {
    return loopIdleMs - firstSince > Math.max(stalledMs, this.#toleratedMs())
  }
}
