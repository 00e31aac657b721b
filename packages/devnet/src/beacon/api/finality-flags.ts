import { ForkName } from '@lodestar/params'
import type { BlockRecord, StateRecord } from '../chain/beacon-chain.ts'

/** The finality flags of a response. */
export interface FinalityFlags {
  /** Whether the response depends on a payload that has not been executed. */
  executionOptimistic: boolean
  /** Whether the data is part of finalized history. */
  finalized: boolean
}

/**
 * Returns the finality flags of a block or a state.
 *
 * @param record The block or the state that the response comes from.
 * @returns The flags of the response.
 */
export function finalityFlags(record: BlockRecord | StateRecord): FinalityFlags {
  const { finalized } = record
  const executionOptimistic =
    'validity' in record ? record.validity === 'optimistic' : record.executionOptimistic
  return { executionOptimistic, finalized }
}

/**
 * {@link finalityFlags} with the fork of the encoded data; this chain has only one fork.
 *
 * @param record The block or the state that the response comes from.
 * @returns The flags and the fork of the response.
 */
export function versionedFlags(record: BlockRecord | StateRecord): FinalityFlags & { version: ForkName } {
  return { version: ForkName.fulu, ...finalityFlags(record) }
}
