import type { Exchange } from './exchange.ts'

/** What became of an attempt to start a waiting exchange: its owner may have no more, or there is no connection at all. */
export type StartOutcome = 'started' | 'owner full' | 'full'

/** Exchanges that wait for a connection. Owners take turns, so that one with many exchanges does not hold up the others. */
export class FairQueue {
  /** The owner whose turn is next stands first. */
  readonly #byOwner = new Map<string | undefined, Exchange[]>()

  get isEmpty(): boolean {
    return this.#byOwner.size === 0
  }

  has(owner: string | undefined): boolean {
    return this.#byOwner.has(owner)
  }

  push(exchange: Exchange): void {
    const { owner } = exchange.call
    const waiting = this.#byOwner.get(owner)
    if (waiting) waiting.push(exchange)
    else this.#byOwner.set(owner, [exchange])
  }

  /** All that wait, for a look at the clock. */
  all(): readonly Exchange[] {
    return [...this.#byOwner.values()].flat()
  }

  /** Starts what can be started, one exchange of each owner after the other. */
  serve(start: (exchange: Exchange) => StartOutcome): void {
    // An owner that has had its turn stands last, and is met again by the same loop.
    for (const [owner, waiting] of this.#byOwner) {
      const next = nextOf(waiting)
      if (!next) {
        this.#byOwner.delete(owner)
        continue
      }
      const outcome = start(next)
      if (outcome === 'full') return
      if (outcome === 'owner full') continue
      waiting.shift()
      this.#byOwner.delete(owner)
      if (waiting.length > 0) this.#byOwner.set(owner, waiting)
    }
  }

  /** Drops what is over already. */
  prune(): void {
    for (const [owner, waiting] of this.#byOwner) {
      const left = waiting.filter(({ isOver }) => !isOver)
      if (left.length === 0) this.#byOwner.delete(owner)
      else if (left.length < waiting.length) this.#byOwner.set(owner, left)
    }
  }
}

function nextOf(waiting: Exchange[]): Exchange | undefined {
  while (waiting[0]?.isOver) waiting.shift()
  return waiting[0]
}
