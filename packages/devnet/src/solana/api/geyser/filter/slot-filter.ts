import type { CommitmentLevel, SlotStatus, SubscribeRequestFilterSlots } from '@fairlead/grpc/geyser'
import { levelOfStatus, statusOfLevel } from '../levels.ts'

/**
 * Parses a filter of slots.
 *
 * @param filter the filter of a request
 * @param commitment level of the stream
 * @returns whether a status matches
 */
export function readSlotFilter(
  { filterByCommitment = false, interslotUpdates = false }: SubscribeRequestFilterSlots,
  commitment: CommitmentLevel,
): (status: SlotStatus) => boolean {
  return (status) =>
    (!filterByCommitment || status === statusOfLevel[commitment]) &&
    (interslotUpdates || levelOfStatus.has(status))
}
