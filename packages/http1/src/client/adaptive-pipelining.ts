/** How many connections quick calls share before they stand in line deeper. */
export const mostWidth = 4

/** How many calls may stand in line on a connection when there can be no further one. */
export const depthAtLimit = 16

const mostDepth = 64
// How many answers a measure goes back.
const smoothing = 16
// There are few of these, and one says much.
const smoothingOfTries = 2
const triedEveryMs = 1_000

// The time that a quick call may lose to those before it.
const longestLineMs = 4
// A connection whose first call takes longer takes no more.
const stalledMs = 10
// How much longer than alone a call may take in line, where that is more. Less than two, or calls would stand behind
// each other at an upstream that works on one after the other.
const tolerance = 1.5
// Calls leave the line of a connection that is silent for longer than this.
const longestToleranceMs = 100
const trustedAnswers = 16
const answersPerStep = 32

/**
 * How deep calls may stand in line. All times are those of `waitedMs`. The measure is what a call takes behind another:
 * it is next to nothing at an upstream that answers in bursts, and all of the work at one that works on one call after
 * the other. An upstream that has too much to do is slow on every connection: as long as it answers in bursts, calls may
 * stand in line for about the time that one takes with nothing before it, as more connections would only cost both sides
 * more.
 */
export class Pace {
  // Of calls that had others before them.
  #behindMs = 0
  // Of calls that had nothing before them.
  #aloneMs = 0
  #trust = mostDepth
  #answers = 0
  #triedAt: number | undefined

  /** How many calls may stand in line on a connection now. */
  get depth(): number {
    const fitting = Math.floor(Math.max(longestLineMs, this.#toleratedMs()) / this.#behindMs)
    return Math.max(1, Math.min(fitting, this.#trust))
  }

  // A private getter would be called by way of the engine's runtime.
  #toleratedMs(): number {
    return Math.min(longestToleranceMs, tolerance * this.#aloneMs)
  }

  /**
   * Tells whether a call should stand behind another though none does, to find out what that takes by now: what was
   * learned while an upstream, or the way there, had too much to do must not stay for ever.
   *
   * @param now - on the clock of `performance.now()`
   */
  tries(now: number): boolean {
    this.#triedAt ??= now
    const isDue = this.depth === 1 && now - this.#triedAt >= triedEveryMs
    if (isDue || this.depth > 1) this.#triedAt = now
    return isDue
  }

  /**
   * @param tookMs - since the call was first in line
   * @param wasAlone - whether nothing stood before it when it was sent
   */
  onAnswered(tookMs: number, wasAlone: boolean): void {
    if (wasAlone) this.#aloneMs += (tookMs - this.#aloneMs) / smoothing
    else this.#behindMs += (tookMs - this.#behindMs) / (this.depth === 1 ? smoothingOfTries : smoothing)
    if (this.#trust < mostDepth && ++this.#answers % answersPerStep === 0) this.#trust++
  }

  /**
   * Hears that the upstream closed a connection with calls in line, which it does not answer.
   *
   * @param answered - how many calls it did answer
   */
  onCut(answered: number): void {
    // Some upstreams end a connection after many calls, which is rare enough to stay deep.
    if (answered < trustedAnswers) this.#trust = 1
  }

  /** Tells whether a call that has been first in line since then holds up the others. */
  isStalled(firstSince: number, waited: number): boolean {
    return waited - firstSince > Math.max(stalledMs, this.#toleratedMs())
  }
}
