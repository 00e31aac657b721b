import type { JettonBurn } from '../generated/jetton-v3/types.ts'

/** How far the burns of a jetton were read. It is plain JSON, to be kept and given back. */
export interface BurnCursor {
  /** Burns of earlier seconds are not asked for again. Unix seconds. */
  readonly since: number
  /** Burns since then that were read: the second of each by its transaction hash. */
  readonly known: Readonly<Record<string, number>>
}

/** A place in the burns of a jetton that moves on with each of them. */
export interface BurnPosition {
  readonly cursor: BurnCursor
  /** Moves on past a burn; false when that one was known. */
  take(burn: JettonBurn): boolean
}

/**
 * Goes on from a cursor.
 *
 * @param lateSeconds - how long burns are remembered, by their own time
 */
export function burnPosition(from: BurnCursor, lateSeconds: number): BurnPosition {
  let { since } = from
  const known = new Map(Object.entries(from.known))
  return {
    get cursor() {
      return { since, known: Object.fromEntries(known) }
    },
    take({ transaction: { hash, time } }) {
      if (known.has(hash)) return false
      known.set(hash, time)
      since = Math.max(since, time - lateSeconds)
      // They came in the order of their time, but for those that were late, which stay a little longer.
      for (const [oldest, second] of known) {
        if (second >= since) break
        known.delete(oldest)
      }
      return true
    },
  }
}
