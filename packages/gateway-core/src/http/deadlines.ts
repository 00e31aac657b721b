import { guardedInterval } from '@fairlead/http1'
/** What ends when its time is up. */
export interface Expirable {
  end(): void
}

/** A deadline that can be taken back. */
export interface Deadline {
  /** To be called once what it was for is over. */
  done(): void
}

const checkMs = 250

/**
 * The deadlines of things that all have the same time, to a quarter of a second: a list is far cheaper than a timer for
 * each. The process may end while some are open.
 */
export class Deadlines {
  readonly #ms: number
  // A ring in the order of the deadlines, as all have the same time; this link stands between the last and the first.
  readonly #ends = new Link(undefined, Infinity)
  #timer: NodeJS.Timeout | undefined

  /** @param milliseconds - that each of them has */
  constructor(milliseconds: number) {
    this.#ms = milliseconds
  }

  begin(timed: Expirable, now: number): Deadline {
    const link = new Link(timed, now + this.#ms)
    link.goBefore(this.#ends)
    this.#timer ??= guardedInterval(() => this.#check(), Math.min(checkMs, this.#ms)).unref()
    return link
  }

  #check(): void {
    const now = performance.now()
    for (let first = this.#ends.next; first !== this.#ends; first = this.#ends.next) {
      if (first.at > now) return
      first.done()
      first.timed?.end()
    }
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** A place in a ring. */
class Link implements Deadline {
  readonly timed: Expirable | undefined
  readonly at: number
  next: Link
  #before: Link

  constructor(timed: Expirable | undefined, at: number) {
    this.timed = timed
    this.at = at
    this.next = this
    this.#before = this
  }

  goBefore(other: Link): void {
    this.#before = other.#before
    this.next = other
    other.#before.next = this
    other.#before = this
  }

  done(): void {
    this.#before.next = this.next
    this.next.#before = this.#before
    this.next = this
    this.#before = this
  }
}
