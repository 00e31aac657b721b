/** Whether upstreams usually respond to a call at once (`short`), or may take any time (`long`). */
export type LatencyClass = 'short' | 'long'

const windowSize = 128
const minSamples = 20
const sortedEvery = 32
const weightOfLatest = 0.1

/** Response times of an upstream, in milliseconds. Recent responses have more weight. */
export class Latency {
  readonly #latest = new Float64Array(windowSize)
  #count = 0
  #sortedAt = -Infinity
  #mean: number | undefined
  #totalMs = 0
  #percentile95: number | undefined
  #percentile99: number | undefined

  /** Sum of all response times so far. */
  get totalMs(): number {
    return this.#totalMs
  }

  /** Moving average; undefined before the first response. */
  get mean(): number | undefined {
    return this.#mean
  }

  /** p95 of recent responses; undefined while there are too few. */
  get percentile95(): number | undefined {
    if (this.#count >= minSamples && this.#count - this.#sortedAt >= sortedEvery) this.#sort()
    return this.#percentile95
  }

  /** p99 of recent responses; undefined while there are too few. */
  get percentile99(): number | undefined {
    if (this.#count >= minSamples && this.#count - this.#sortedAt >= sortedEvery) this.#sort()
    return this.#percentile99
  }

  add(ms: number): void {
    this.#latest[this.#count % windowSize] = ms
    this.#count += 1
    this.#totalMs += ms
    // The first response includes the connection setup and must not dominate the average for long.
    this.#mean ??= ms
    this.#mean += (ms - this.#mean) * Math.max(weightOfLatest, 1 / this.#count)
  }

  #sort(): void {
    this.#sortedAt = this.#count
    const sorted = this.#latest.slice(0, Math.min(this.#count, windowSize)).toSorted()
    this.#percentile95 = sorted[Math.floor(sorted.length * 0.95)]
    this.#percentile99 = sorted[Math.floor(sorted.length * 0.99)]
  }
}
