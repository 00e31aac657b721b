import type { JettonBurn } from '../generated/jetton-v3/types.ts'

/** Position of a reader in the burns of a jetton. It is plain JSON, to be stored and passed back. */
export interface BurnCursor {
  /** Burns before this time are not requested again. Unix seconds. */
  readonly since: number
  /** Burns since then that were read: the Unix second of each by its transaction hash. */
  readonly known: Readonly<Record<string, number>>
}

/** A position in the burns of a jetton that advances with each of them. */
export interface BurnPosition {
  readonly cursor: BurnCursor
  /** Advances past a burn; returns false when the burn was already known. */
  advance(burn: JettonBurn): boolean
}

/**
 * Resumes from a cursor.
 *
 * @param lateSeconds - how long burns are stored for de-duplication, by their own time
 */
export function burnPosition(from: BurnCursor, lateSeconds: number): BurnPosition {
  let { since } = from
  const known = new Map(Object.entries(from.known))
  return {
    get cursor() {
      return { since, known: Object.fromEntries(known) }
    },
    advance({ transaction: { hash, time } }) {
      if (known.has(hash)) return false
      known.set(hash, time)
      since = Math.max(since, time - lateSeconds)
      // The burns arrived in the order of their time, except late ones, which are stored a little longer.
      for (const [oldest, second] of known) {
        if (second >= since) break
        known.delete(oldest)
      }
      return true
    },
  }
}
