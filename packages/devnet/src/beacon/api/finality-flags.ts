import { ForkName } from '@lodestar/params'
import type { BlockRecord, StateRecord } from '../chain/beacon-chain.ts'

/** What an answer says about the ground it stands on. */
export interface FinalityFlags {
  /** Whether it rests on a payload that has not been executed. */
  executionOptimistic: boolean
  /** Whether it is part of finalized history. */
  finalized: boolean
}

/**
 * Tells how far a block or a state can be relied on.
 *
 * @param record The block or the state that an answer comes from.
 * @returns The flags of the answer.
 */
export function finalityFlags(record: BlockRecord | StateRecord): FinalityFlags {
  const { finalized } = record
  const executionOptimistic =
    'validity' in record ? record.validity === 'optimistic' : record.executionOptimistic
  return { executionOptimistic, finalized }
}

/**
 * {@link finalityFlags} with the fork that the data is encoded for; this chain knows one.
 *
 * @param record The block or the state that an answer comes from.
 * @returns The flags and the fork of the answer.
 */
export function versionedFlags(record: BlockRecord | StateRecord): FinalityFlags & { version: ForkName } {
  return { version: ForkName.fulu, ...finalityFlags(record) }
}
