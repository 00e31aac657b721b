/** Number of connections that short calls share before more of the calls are pipelined on each connection. */
export const maxSharedConnections = 4

/** Pipeline depth per connection when no further connection may be opened. */
export const pipelineDepthAtLimit = 16

const maxPipelineDepth = 64
// Number of responses that a moving average covers.
const smoothing = 16
// Test calls are rare, so each one has more weight.
const smoothingOfTests = 2
const testedEveryMs = 1_000

// Longest delay of a short call by the calls before it on the connection.
const maxPipelineDelayMs = 4
// A connection whose first call takes longer than this accepts no more calls.
const stalledMs = 10
// The longest duration of a pipelined call, as a multiple of the duration of a single call, where this exceeds
// `maxPipelineDelayMs`.
// Less than two: otherwise calls would queue up at an upstream that processes one after the other.
const tolerance = 1.5
// Calls are moved away from a connection that is silent for longer than this.
const maxToleranceMs = 100
const probationResponses = 16
const responsesPerStep = 32

/**
 * Adapts the number of calls that are pipelined on a connection. All durations are measured with `eventLoopIdleMs`.
 *
 * It measures how long a call takes behind another one: close to zero at an upstream that responds in bursts, and the
 * full processing time at one that handles calls one after the other. An overloaded upstream is slow on every
 * connection. As long as it responds in bursts, a call may wait for about the duration of a single call, because more
 * connections would only add cost on both sides.
 */
export class AdaptivePipelining {
  // Duration of calls that were sent behind others.
  #pipelinedMs = 0
  // Duration of calls that had no other call before them.
  #singleMs = 0
  #probation = maxPipelineDepth
  #responses = 0
  #lastTestAt: number | undefined

  /** The number of calls that a connection may have now. */
  get pipelineDepth(): number {
    const maxCalls = Math.floor(Math.max(maxPipelineDelayMs, this.#toleratedMs()) / this.#pipelinedMs)
    return Math.max(1, Math.min(maxCalls, this.#probation))
  }

  // A private getter would be a call into the runtime of the JavaScript engine.
  #toleratedMs(): number {
    return Math.min(maxToleranceMs, tolerance * this.#singleMs)
  }

  /**
   * Whether to pipeline one call as a test. Without tests, a measurement that was taken while the upstream or the
   * network was overloaded would disable pipelining permanently.
   *
   * @param now - current time of `performance.now()`
   */
  shouldTest(now: number): boolean {
    this.#lastTestAt ??= now
    const isDue = this.pipelineDepth === 1 && now - this.#lastTestAt >= testedEveryMs
    if (isDue || this.pipelineDepth > 1) this.#lastTestAt = now
    return isDue
  }

  /**
   * @param durationMs - time since the call became the first on its connection
   * @param wasSingle - whether no other call was before it on the connection when it was sent
   */
  onResponse(durationMs: number, wasSingle: boolean): void {
    if (wasSingle) this.#singleMs += (durationMs - this.#singleMs) / smoothing
    else
      this.#pipelinedMs +=
        (durationMs - this.#pipelinedMs) / (this.pipelineDepth === 1 ? smoothingOfTests : smoothing)
    if (this.#probation < maxPipelineDepth && ++this.#responses % responsesPerStep === 0) this.#probation++
  }

  /**
   * Records that the upstream closed a connection while pipelined calls had no response.
   *
   * @param responses - number of calls on this connection that received a response
   */
  onReset(responses: number): void {
    // Some upstreams close a connection after many calls. This is rare enough to keep the pipeline depth.
    if (responses < probationResponses) this.#probation = 1
  }

  /** Whether the first call on a connection delays the others. */
  isStalled(firstSince: number, loopIdleMs: number): boolean {
    return loopIdleMs - firstSince > Math.max(stalledMs, this.#toleratedMs())
  }
}
