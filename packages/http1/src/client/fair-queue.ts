import type { Exchange } from './exchange.ts'

/**
 * Outcome of starting a queued exchange. `owner full`: its owner has reached its limit; `full`: no connection is
 * available.
 */
export type StartOutcome = 'started' | 'owner full' | 'full'

/**
 * A queue of exchanges that wait for a connection. It serves owners in round-robin order, so that an owner with many
 * exchanges does not delay the others.
 */
export class FairQueue {
  /** The next owner to serve comes first. */
  readonly #byOwner = new Map<string | undefined, Exchange[]>()

  get isEmpty(): boolean {
    return this.#byOwner.size === 0
  }

  has(owner: string | undefined): boolean {
    return this.#byOwner.has(owner)
  }

  push(exchange: Exchange): void {
    const { owner } = exchange.call
    const queue = this.#byOwner.get(owner)
    if (queue) queue.push(exchange)
    else this.#byOwner.set(owner, [exchange])
  }

  /** All queued exchanges, to check their deadlines. */
  all(): readonly Exchange[] {
    return [...this.#byOwner.values()].flat()
  }

  /** Starts as many exchanges as possible, one per owner in turn. */
  serve(start: (exchange: Exchange) => StartOutcome): void {
    // An owner that was served moves to the end of the map, and the same loop reaches it again.
    for (const [owner, queue] of this.#byOwner) {
      const next = nextOf(queue)
      if (!next) {
        this.#byOwner.delete(owner)
        continue
      }
      const outcome = start(next)
      if (outcome === 'full') return
      if (outcome === 'owner full') continue
      queue.shift()
      this.#byOwner.delete(owner)
      if (queue.length > 0) this.#byOwner.set(owner, queue)
    }
  }

  /** Removes exchanges that are already finished. */
  prune(): void {
    for (const [owner, queue] of this.#byOwner) {
      const remaining = queue.filter(({ isOver }) => !isOver)
      if (remaining.length === 0) this.#byOwner.delete(owner)
      else if (remaining.length < queue.length) this.#byOwner.set(owner, remaining)
    }
  }
}

function nextOf(queue: Exchange[]): Exchange | undefined {
  while (queue[0]?.isOver) queue.shift()
  return queue[0]
}
