/** An attempt with its neighbors in the list of attempts at the same upstream. */
export interface RunningAttempt {
  previous: RunningAttempt | undefined
  next: RunningAttempt | undefined
  readonly isShort: boolean
  /** Resends the call to another upstream, if allowed. */
  hang(): void
}

/**
 * The running attempts at one upstream, oldest first: a linked list through the attempts themselves, which needs no
 * additional memory.
 */
export class RunningAttempts {
  /** Number of attempts with calls that upstreams usually respond to at once. */
  shortAttempts = 0
  #first: RunningAttempt | undefined
  #last: RunningAttempt | undefined

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  add(attempt: RunningAttempt): void {
    if (attempt.isShort) this.shortAttempts += 1
    attempt.previous = this.#last
    if (this.#last) this.#last.next = attempt
    else this.#first = attempt
    this.#last = attempt
  }

  delete(attempt: RunningAttempt): void {
    const { previous, next } = attempt
    if (attempt.isShort) this.shortAttempts -= 1
    if (previous) previous.next = next
    else this.#first = next
    if (next) next.previous = previous
    else this.#last = previous
    attempt.previous = attempt.next = undefined
  }

  /** Returns the current attempts. */
  snapshot(): readonly RunningAttempt[] {
    const all: RunningAttempt[] = []
    for (let attempt = this.#first; attempt; attempt = attempt.next) all.push(attempt)
    return all
  }
}
