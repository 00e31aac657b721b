/** How many connections quick calls share before they stand in line deeper. */
export const mostWidth = 4

/** Most calls that stand in line on a connection. */
export const mostDepth = 16

// The time that a quick call may lose to those before it.
const longestLineMs = 4
// A connection whose first call takes longer takes no more.
const stalledMs = 10
const trustedAnswers = 16
const answersPerStep = 32

/**
 * How deep calls may stand in line. The measure is the time from one answer to the next: it is next to nothing when a
 * distant upstream answers in bursts, and all of the work when it works on one call after the other.
 */
export class Pace {
  #answerMs = 0
  #trust = mostDepth
  #answers = 0

  /** How many calls may stand in line on a connection now. */
  get depth(): number {
    const fitting = Math.floor(longestLineMs / this.#answerMs)
    return Math.max(1, Math.min(fitting, this.#trust))
  }

  /** @param tookMs - since the call was first in line */
  onAnswered(tookMs: number): void {
    this.#answerMs += (tookMs - this.#answerMs) / mostDepth
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
  isStalled(firstSince: number, now: number): boolean {
    return now - firstSince > stalledMs
  }
}
