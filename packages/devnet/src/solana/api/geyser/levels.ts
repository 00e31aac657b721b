import { CommitmentLevel, SlotStatus } from '@fairlead/grpc/geyser'

/** The levels of commitment, each after the one below it. */
export const levels = [
  CommitmentLevel.PROCESSED,
  CommitmentLevel.CONFIRMED,
  CommitmentLevel.FINALIZED,
] as const

/** Status of a slot that tells of a level. */
export const statusOfLevel = [
  SlotStatus.SLOT_PROCESSED,
  SlotStatus.SLOT_CONFIRMED,
  SlotStatus.SLOT_FINALIZED,
] as const

/** Level of which a status tells; none for the steps between. */
export const levelOfStatus: ReadonlyMap<SlotStatus, CommitmentLevel> = new Map(
  levels.map((level) => [statusOfLevel[level], level]),
)

/** Tells whether a request has a level that there is: any number may come over the wire. */
export function isLevel(commitment: CommitmentLevel): boolean {
  return levels.includes(commitment)
}
