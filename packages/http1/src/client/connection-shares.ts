/** Number of connections that every owner may hold, independent of the other owners. */
const alwaysGranted = 4
/** Divisor for the connections that are reserved for owners with few connections: 1/8 of all. */
const reservedPart = 8
/** An owner counts as active for this long after its last exchange. */
const presentMs = 60_000
const pruneEveryMs = 10_000

interface Share {
  held: number
  usedAt: number
}

/**
 * Limits how many exclusive connections of an upstream one owner holds: half of them while another owner is active, and
 * never the last eighth.
 */
export class ConnectionShares {
  readonly #most: number
  readonly #shares = new Map<string, Share>()
  #prunedAt = -Infinity

  /** @param most - maximum number of exclusive connections of all owners together */
  constructor(most: number) {
    this.#most = most
  }

  /**
   * @param owner - undefined for exchanges of the gateway itself, which are not limited
   * @param total - number of connections that all owners hold
   */
  mayTake(owner: string | undefined, total: number): boolean {
    if (owner === undefined) return true
    const held = this.#shares.get(owner)?.held ?? 0
    if (held < alwaysGranted) return true
    if (total >= this.#most - Math.floor(this.#most / reservedPart)) return false
    const isAlone = this.#shares.size <= (this.#shares.has(owner) ? 1 : 0)
    return isAlone || held < this.#most / 2
  }

  take(owner: string, now: number): void {
    this.note(owner, now).held += 1
  }

  release(owner: string): void {
    const share = this.#shares.get(owner)
    if (share) share.held -= 1
  }

  /** Records an owner as active. */
  note(owner: string, now: number): Share {
    const known = this.#shares.get(owner)
    if (known) {
      known.usedAt = now
      return known
    }
    const share = { held: 0, usedAt: now }
    this.#shares.set(owner, share)
    return share
  }

  /** Removes owners that are no longer active. */
  prune(now: number): void {
    if (now - this.#prunedAt < pruneEveryMs) return
    this.#prunedAt = now
    for (const [owner, { held, usedAt }] of this.#shares) {
      if (held === 0 && now - usedAt > presentMs) this.#shares.delete(owner)
    }
  }
}
