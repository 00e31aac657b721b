const kept = 128
const enough = 20
const sortedEvery = 32
const weightOfNewest = 0.1

/** How long an upstream takes to answer, in milliseconds, the latest answers counting most. */
export class Latency {
  readonly #latest = new Float64Array(kept)
  #count = 0
  #sortedAt = -Infinity
  #mean: number | undefined
  #totalMs = 0
  #percentile95: number | undefined
  #percentile99: number | undefined

  /** Of all answers so far. */
  get totalMs(): number {
    return this.#totalMs
  }

  /** Undefined before the first answer. */
  get mean(): number | undefined {
    return this.#mean
  }

  /** What 95 of 100 of the latest answers did not exceed; undefined while there are too few. */
  get percentile95(): number | undefined {
    if (this.#count >= enough && this.#count - this.#sortedAt >= sortedEvery) this.#sort()
    return this.#percentile95
  }

  /** What 99 of 100 of the latest answers did not exceed; undefined while there are too few. */
  get percentile99(): number | undefined {
    if (this.#count >= enough && this.#count - this.#sortedAt >= sortedEvery) this.#sort()
    return this.#percentile99
  }

  add(ms: number): void {
    this.#latest[this.#count % kept] = ms
    this.#count += 1
    this.#totalMs += ms
    // The first one had to connect, and must not count for long.
    this.#mean ??= ms
    this.#mean += (ms - this.#mean) * Math.max(weightOfNewest, 1 / this.#count)
  }

  #sort(): void {
    this.#sortedAt = this.#count
    const sorted = this.#latest.slice(0, Math.min(this.#count, kept)).toSorted()
    this.#percentile95 = sorted[Math.floor(sorted.length * 0.95)]
    this.#percentile99 = sorted[Math.floor(sorted.length * 0.99)]
  }
}
