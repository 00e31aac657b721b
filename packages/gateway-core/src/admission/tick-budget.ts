import { FairQueue, guardedImmediate, type Tenant } from '@fairlead/runtime'

interface Work {
  readonly units: number
  /** Must not throw. */
  run(): void
}

// A unit takes about as long as one call, 20 to 30 µs.
const unitsPerTick = 400
// While clients connect, ticks are short: Node.js accepts one connection in each.
const unitsWhileConnecting = 40

/**
 * Spreads work over event-loop ticks. Data of many clients arrives in one tick; without a limit, the calls of all others
 * wait until all of it is processed. What exceeds the budget of a tick waits, and organizations are served in turn.
 */
export class TickBudget {
  readonly #queue = new FairQueue<Work>()
  #left = unitsPerTick
  #isScheduled = false
  #hasNewConnection = false

  /** Number of waiting pieces of work. */
  get waiting(): number {
    return this.#queue.size
  }

  /**
   * Runs a piece of work, at once if the budget of this tick is not used up.
   *
   * @param units - duration of the work, in calls
   * @param run - must not throw
   */
  run(tenant: Tenant, units: number, run: () => void): void {
    if (this.spend(units)) run()
    else this.#queue.push(tenant, { units, run })
  }

  /** Uses a part of the budget of this tick; false when it is used up, or other work waits. */
  spend(units: number): boolean {
    this.#schedule()
    if (this.#left <= 0 || !this.#queue.isEmpty) return false
    this.#left -= units
    return true
  }

  /** Shortens this tick, so that other clients that connect at the same time do not wait for its work. */
  onConnection(): void {
    this.#schedule()
    this.#hasNewConnection = true
    this.#left = Math.min(this.#left, unitsWhileConnecting)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    guardedImmediate(() => this.#begin())
  }

  /** Begins the next tick. */
  #begin(): void {
    this.#isScheduled = false
    this.#left = this.#hasNewConnection ? unitsWhileConnecting : unitsPerTick
    this.#hasNewConnection = false
    const started: Work[] = []
    this.#queue.serve((work) => {
      if (this.#left <= 0) return 'resource'
      this.#left -= work.units
      started.push(work)
      return 'started'
    })
    if (!this.#queue.isEmpty) this.#schedule()
    // Work may queue more, which the queue does not allow while it is served.
    for (const work of started) work.run()
  }
}
