import { performance } from 'node:perf_hooks'

/** What an upstream is, as a text such as its version; `away` without an answer, `unknown` when it refuses. */
export type Identity = { readonly text: string } | 'away' | 'unknown'

/** How what answers at an address compares with what answered before. `away` is said once. */
export type Change = 'same' | 'away' | 'changed'

const hourMs = 3_600_000
const mostChanges = 3
// A connection that breaks again and again is not a restart each time.
const backMs = 600_000

/** What was seen at one address so far. */
class SeenIdentity {
  #current: string | undefined
  #isAway = false
  #backAt = -Infinity
  readonly #known = new Map<string, number>()
  #changedAt: readonly number[] = []

  observe(identity: Identity, now: number): Change {
    if (identity === 'unknown') return 'same'
    if (identity === 'away') {
      const isNews = !this.#isAway && this.#current !== undefined
      this.#isAway = true
      return isNews ? 'away' : 'same'
    }
    const { text } = identity
    const before = this.#current
    const isBack = this.#isAway && before !== undefined && now - this.#backAt >= backMs
    if (this.#isAway && before !== undefined) this.#backAt = now
    this.#isAway = false
    this.#current = text
    const isOther = before !== undefined && before !== text && !this.#isInTurn(text, now)
    this.#known.set(text, now)
    if (isOther) this.#changedAt = [...this.#changedAt, now]
    return isOther || isBack ? 'changed' : 'same'
  }

  /** Several clients behind one address answer in turn. */
  #isInTurn(text: string, now: number): boolean {
    for (const [other, at] of this.#known) if (now - at >= hourMs) this.#known.delete(other)
    this.#changedAt = this.#changedAt.filter((at) => now - at < hourMs)
    return this.#known.has(text) && this.#changedAt.length >= mostChanges
  }
}

/** What answers at the addresses of the nodes. */
export class UpstreamIdentities {
  readonly #nodes = new Map<string, { readonly upstreams: string; readonly seen: readonly SeenIdentity[] }>()
  readonly #now: () => number

  /** @param now - a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * Compares what answers now with what answered before.
   *
   * @param nodeId - the node
   * @param upstreams - text of its upstreams; another text begins anew
   * @param identities - one for each upstream, in their order
   */
  observe(nodeId: string, upstreams: string, identities: readonly Identity[]): Change {
    let known = this.#nodes.get(nodeId)
    if (known?.upstreams !== upstreams || known.seen.length !== identities.length) {
      known = { upstreams, seen: identities.map(() => new SeenIdentity()) }
      this.#nodes.set(nodeId, known)
    }
    const now = this.#now()
    const changes = known.seen.map((seen, at) => seen.observe(identities[at] ?? 'unknown', now))
    return (
      changes.find((change) => change === 'changed') ?? changes.find((change) => change === 'away') ?? 'same'
    )
  }

  /** Drops what is known of nodes that are gone. */
  keepOnly(nodeIds: ReadonlySet<string>): void {
    for (const nodeId of this.#nodes.keys()) if (!nodeIds.has(nodeId)) this.#nodes.delete(nodeId)
  }
}
