import { setTimeout as sleep } from 'node:timers/promises'
import type { RestUpstream } from '@fairlead/gateway-core/rest/rest-call'
import { type NodeHealth, readHealth } from './health.ts'
import { inOrder, type NodeState } from './node-order.ts'
import { guardedTimeout } from '@fairlead/http1'

/** When nodes are asked for their health. */
export interface WatchTimes {
  /** Between two rounds, while the nodes are used. */
  readonly intervalMs: number
  /** For a node's answer. */
  readonly timeoutMs: number
  /** How long calls wait when nothing fresh is known. */
  readonly firstRoundMs: number
  /** How long a node that failed stands behind the others. */
  readonly failingMs: number
  /** After the last call the rounds go on this long. */
  readonly idleMs: number
}

/** The times of the service. */
export const watchTimes: WatchTimes = {
  intervalMs: 6_000,
  timeoutMs: 3_000,
  firstRoundMs: 1_000,
  failingMs: 10_000,
  idleMs: 60_000,
}

// However many calls fail, the nodes are asked again no sooner.
const shortestPauseMs = 1_000

/** One of several nodes. */
export class WatchedNode implements NodeState {
  readonly upstream: RestUpstream
  readonly #failingMs: number
  #failedAt = -Infinity
  health: NodeHealth | undefined

  constructor(upstream: RestUpstream, failingMs: number) {
    this.upstream = upstream
    this.#failingMs = failingMs
  }

  get isFailing(): boolean {
    return performance.now() - this.#failedAt < this.#failingMs
  }

  fail(): void {
    this.#failedAt = performance.now()
  }
}

/** The nodes behind one hosted node and what is known of their health. A single node is never asked for it. */
export class WatchedNodes {
  readonly #nodes: readonly WatchedNode[]
  readonly #times: WatchTimes
  #present: WatchedNode | undefined
  #round: Promise<unknown> | undefined
  #roundAt = -Infinity
  #usedAt = -Infinity
  /** What calls wait for: the first round, and the first after a time without calls. */
  #known: Promise<unknown> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(upstreams: readonly RestUpstream[], times: WatchTimes) {
    this.#nodes = upstreams.map((upstream) => new WatchedNode(upstream, times.failingMs))
    this.#times = times
  }

  /** The nodes, best first. */
  async ranked(): Promise<readonly WatchedNode[]> {
    if (this.#nodes.length === 1) return this.#nodes
    this.#usedAt = performance.now()
    if (this.#usedAt - this.#roundAt > 2 * this.#times.intervalMs) {
      this.#known = Promise.race([this.#ask(), sleep(this.#times.firstRoundMs, undefined, { ref: false })])
    }
    await this.#known
    this.#timer ??= this.#nextRound()
    return this.#rank()
  }

  /** Says that a node did not answer as it should, which puts it behind the others for a while. */
  failed(node: WatchedNode): void {
    node.fail()
    this.#rank()
    this.suspect()
  }

  /** Says that something is wrong with a node, which is a reason to ask all of them now. */
  suspect(): void {
    if (this.#nodes.length > 1 && performance.now() - this.#roundAt > shortestPauseMs) void this.#ask()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #rank(): readonly WatchedNode[] {
    const ranked = inOrder(this.#nodes, this.#present)
    this.#present = ranked[0]
    return ranked
  }

  #nextRound(): NodeJS.Timeout {
    const { intervalMs, idleMs } = this.#times
    return guardedTimeout(() => {
      this.#timer = undefined
      if (performance.now() - this.#usedAt > idleMs) return
      void this.#ask()
      this.#timer = this.#nextRound()
    }, intervalMs).unref()
  }

  #ask(): Promise<unknown> {
    this.#roundAt = performance.now()
    this.#round ??= Promise.all(this.#nodes.map((node) => this.#askOne(node))).finally(
      () => (this.#round = undefined),
    )
    return this.#round
  }

  async #askOne(node: WatchedNode): Promise<void> {
    try {
      node.health = await readHealth(node.upstream, AbortSignal.timeout(this.#times.timeoutMs))
    } catch {
      node.fail()
    }
  }
}
