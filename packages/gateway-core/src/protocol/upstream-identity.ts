import { performance } from 'node:perf_hooks'

/**
 * The identity of an upstream, such as its version; `unreachable` when it does not respond, `unknown` when it rejects the
 * request.
 */
export type Identity = { readonly text: string } | 'unreachable' | 'unknown'

/** Compares the current identity with the previous one. `unreachable` is reported once. */
export type Change = 'same' | 'unreachable' | 'changed'

const hourMs = 3_600_000
const maxChanges = 3
// A connection that breaks repeatedly does not count as a restart each time.
const reconnectMs = 600_000

/** The identities observed at one URL so far. */
class IdentityHistory {
  #current: string | undefined
  #isDisconnected = false
  #reconnectedAt = -Infinity
  readonly #observedAt = new Map<string, number>()
  #changedAt: readonly number[] = []

  observe(identity: Identity, now: number): Change {
    if (identity === 'unknown') return 'same'
    if (identity === 'unreachable') {
      const isChange = !this.#isDisconnected && this.#current !== undefined
      this.#isDisconnected = true
      return isChange ? 'unreachable' : 'same'
    }
    const { text } = identity
    const before = this.#current
    const isReconnected =
      this.#isDisconnected && before !== undefined && now - this.#reconnectedAt >= reconnectMs
    if (this.#isDisconnected && before !== undefined) this.#reconnectedAt = now
    this.#isDisconnected = false
    this.#current = text
    const isDifferent = before !== undefined && before !== text && !this.#isAlternating(text, now)
    this.#observedAt.set(text, now)
    if (isDifferent) this.#changedAt = [...this.#changedAt, now]
    return isDifferent || isReconnected ? 'changed' : 'same'
  }

  /** Several servers behind one URL respond alternately. */
  #isAlternating(text: string, now: number): boolean {
    for (const [other, at] of this.#observedAt) if (now - at >= hourMs) this.#observedAt.delete(other)
    this.#changedAt = this.#changedAt.filter((at) => now - at < hourMs)
    return this.#observedAt.has(text) && this.#changedAt.length >= maxChanges
  }
}

/** The identities of the upstreams of nodes. */
export class UpstreamIdentities {
  readonly #nodes = new Map<
    string,
    { readonly upstreams: string; readonly histories: readonly IdentityHistory[] }
  >()
  readonly #now: () => number

  /** @param now - a clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /**
   * Compares the current identities with the previous ones.
   *
   * @param nodeId - the node
   * @param upstreams - text of its upstreams; a different text resets the comparison
   * @param identities - one for each upstream, in their order
   */
  observe(nodeId: string, upstreams: string, identities: readonly Identity[]): Change {
    let entry = this.#nodes.get(nodeId)
    if (entry?.upstreams !== upstreams || entry.histories.length !== identities.length) {
      entry = { upstreams, histories: identities.map(() => new IdentityHistory()) }
      this.#nodes.set(nodeId, entry)
    }
    const now = this.#now()
    const changes = entry.histories.map((history, at) => history.observe(identities[at] ?? 'unknown', now))
    return (
      changes.find((change) => change === 'changed') ??
      changes.find((change) => change === 'unreachable') ??
      'same'
    )
  }

  /** Removes the data of deleted nodes. */
  removeExcept(nodeIds: ReadonlySet<string>): void {
    for (const nodeId of this.#nodes.keys()) if (!nodeIds.has(nodeId)) this.#nodes.delete(nodeId)
  }
}
