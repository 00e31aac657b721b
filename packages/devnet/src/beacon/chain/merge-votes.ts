import { aggregateSignatures, Signature } from '@chainsafe/blst'

/** Signatures of one message by the holders of some positions of a committee. */
export interface AggregateVotes {
  readonly positions: readonly number[]
  /** The aggregate of their signatures. */
  readonly signature: Uint8Array
}

/**
 * Merges two aggregates over the same message. An aggregate cannot be split, so if two overlap, the larger one remains.
 *
 * @param known The existing aggregate.
 * @param votes The votes to add.
 * @returns One of them or their union.
 */
export function mergeVotes<votes extends AggregateVotes>(known: votes, votes: votes): votes {
  if (votes.positions.every((position) => known.positions.includes(position))) return known
  if (votes.positions.some((position) => known.positions.includes(position))) {
    return votes.positions.length > known.positions.length ? votes : known
  }
  const parts = [known.signature, votes.signature].map((signature) => Signature.fromBytes(signature))
  return {
    ...known,
    positions: [...known.positions, ...votes.positions],
    signature: aggregateSignatures(parts).toBytes(),
  }
}
