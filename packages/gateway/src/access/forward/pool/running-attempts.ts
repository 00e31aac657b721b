import type { Attempt } from './attempt.ts'

/** The attempts that run at one upstream, the oldest first: a list through the attempts themselves, which costs no memory. */
export class RunningAttempts {
  /** How many of them are calls that upstreams answer at once. */
  quick = 0
  #first: Attempt | undefined
  #last: Attempt | undefined

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  add(attempt: Attempt): void {
    if (attempt.isQuick) this.quick += 1
    attempt.previous = this.#last
    if (this.#last) this.#last.next = attempt
    else this.#first = attempt
    this.#last = attempt
  }

  delete(attempt: Attempt): void {
    const { previous, next } = attempt
    if (attempt.isQuick) this.quick -= 1
    if (previous) previous.next = next
    else this.#first = next
    if (next) next.previous = previous
    else this.#last = previous
    attempt.previous = attempt.next = undefined
  }

  /** All of them as they are now. */
  snapshot(): readonly Attempt[] {
    const all: Attempt[] = []
    for (let attempt = this.#first; attempt; attempt = attempt.next) all.push(attempt)
    return all
  }
}
