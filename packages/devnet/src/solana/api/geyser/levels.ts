import { CommitmentLevel, SlotStatus } from '@fairlead/grpc/geyser'

/** The commitment levels in ascending order. */
export const levels = [
  CommitmentLevel.PROCESSED,
  CommitmentLevel.CONFIRMED,
  CommitmentLevel.FINALIZED,
] as const

/** Slot status that reports each level. */
export const statusOfLevel = [
  SlotStatus.SLOT_PROCESSED,
  SlotStatus.SLOT_CONFIRMED,
  SlotStatus.SLOT_FINALIZED,
] as const

/** Level that a status reports; undefined for intermediate statuses. */
export const levelOfStatus: ReadonlyMap<SlotStatus, CommitmentLevel> = new Map(
  levels.map((level) => [statusOfLevel[level], level]),
)

/** Whether a request contains a known level: clients may send any number. */
export function isLevel(commitment: CommitmentLevel): boolean {
  return levels.includes(commitment)
}
