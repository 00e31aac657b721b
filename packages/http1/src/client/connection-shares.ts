/** Number of connections that every owner may hold, independent of the other owners. */
const alwaysGranted = 4
/** Divisor for the connections that are reserved for owners with few connections: 1/8 of all. */
const reservedDivisor = 8
/** An owner counts as active for this long after its last exchange. */
const activeMs = 60_000
const pruneEveryMs = 10_000

interface Share {
  count: number
  usedAt: number
}

/**
 * Limits how many exclusive connections of an upstream one owner holds: half of them while another owner is active, and
 * never the last eighth.
 */
export class ConnectionShares {
  readonly #max: number
  readonly #shares = new Map<string, Share>()
  #prunedAt = -Infinity

  /** @param max - maximum number of exclusive connections of all owners together */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * @param owner - undefined for exchanges of the gateway itself, which are not limited
   * @param total - number of connections that all owners hold
   */
  canAcquire(owner: string | undefined, total: number): boolean {
    if (owner === undefined) return true
    const count = this.#shares.get(owner)?.count ?? 0
    if (count < alwaysGranted) return true
    if (total >= this.#max - Math.floor(this.#max / reservedDivisor)) return false
    const isOnlyOwner = this.#shares.size <= (this.#shares.has(owner) ? 1 : 0)
    return isOnlyOwner || count < this.#max / 2
  }

  acquire(owner: string, now: number): void {
    this.recordActive(owner, now).count += 1
  }

  release(owner: string): void {
    const share = this.#shares.get(owner)
    if (share) share.count -= 1
  }

  /** Records an owner as active. */
  recordActive(owner: string, now: number): Share {
    const existing = this.#shares.get(owner)
    if (existing) {
      existing.usedAt = now
      return existing
    }
    const share = { count: 0, usedAt: now }
    this.#shares.set(owner, share)
    return share
  }

  /** Removes owners that are no longer active. */
  prune(now: number): void {
    if (now - this.#prunedAt < pruneEveryMs) return
    this.#prunedAt = now
    for (const [owner, { count, usedAt }] of this.#shares) {
      if (count === 0 && now - usedAt > activeMs) this.#shares.delete(owner)
    }
  }
}
