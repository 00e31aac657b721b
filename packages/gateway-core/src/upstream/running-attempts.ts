/** An attempt, and its neighbors among those that run at the same upstream. */
export interface RunningAttempt {
  previous: RunningAttempt | undefined
  next: RunningAttempt | undefined
  readonly isQuick: boolean
  /** Has the call sent on, if it may be. */
  hang(): void
}

/** The attempts that run at one upstream, the oldest first: a list through the attempts themselves, which costs no memory. */
export class RunningAttempts {
  /** How many of them are calls that upstreams answer at once. */
  quick = 0
  #first: RunningAttempt | undefined
  #last: RunningAttempt | undefined

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  add(attempt: RunningAttempt): void {
    if (attempt.isQuick) this.quick += 1
    attempt.previous = this.#last
    if (this.#last) this.#last.next = attempt
    else this.#first = attempt
    this.#last = attempt
  }

  delete(attempt: RunningAttempt): void {
    const { previous, next } = attempt
    if (attempt.isQuick) this.quick -= 1
    if (previous) previous.next = next
    else this.#first = next
    if (next) next.previous = previous
    else this.#last = previous
    attempt.previous = attempt.next = undefined
  }

  /** All of them as they are now. */
  snapshot(): readonly RunningAttempt[] {
    const all: RunningAttempt[] = []
    for (let attempt = this.#first; attempt; attempt = attempt.next) all.push(attempt)
    return all
  }
}
