import { ForkName } from '@lodestar/params'
import type { BlockRecord, StateRecord } from '../chain/beacon-chain.ts'

/** What an answer says about the ground it stands on. */
export interface Truth {
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
export function truth(record: BlockRecord | StateRecord): Truth {
  const { finalized } = record
  const executionOptimistic =
    'validity' in record ? record.validity === 'optimistic' : record.executionOptimistic
  return { executionOptimistic, finalized }
}

/**
 * {@link truth} with the fork that the data is encoded for; this chain knows one.
 *
 * @param record The block or the state that an answer comes from.
 * @returns The flags and the fork of the answer.
 */
export function versionedTruth(record: BlockRecord | StateRecord): Truth & { version: ForkName } {
  return { version: ForkName.fulu, ...truth(record) }
}
