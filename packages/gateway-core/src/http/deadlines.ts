import { guardedInterval } from '@fairlead/runtime'
/** An operation that can time out. */
export interface Expirable {
  end(): void
}

/** A deadline that can be cancelled. */
export interface Deadline {
  /** Cancels the deadline. Must be called once when the operation is complete. */
  done(): void
}

const checkMs = 250

/**
 * Deadlines with one common timeout, accurate to a quarter of a second: a list is far cheaper than one timer per
 * operation. Open deadlines do not keep the process alive.
 */
export class Deadlines {
  readonly #ms: number
  // A ring in the order of the deadlines, which is the order of insertion because all have the same timeout. This link
  // is between the last and the first.
  readonly #ends = new Link(undefined, Infinity)
  #timer: NodeJS.Timeout | undefined

  /** @param milliseconds - timeout of each deadline */
  constructor(milliseconds: number) {
    this.#ms = milliseconds
  }

  begin(timed: Expirable, now: number): Deadline {
    const link = new Link(timed, now + this.#ms)
    link.insertBefore(this.#ends)
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

/** An entry of the ring. */
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

  insertBefore(other: Link): void {
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
