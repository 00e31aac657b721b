import type { Message } from '@fairlead/grpc/geyser'
import type { Engine } from './engine.ts'

/** The accounts that a transaction loads from address lookup tables, 32 bytes each. */
export interface LoadedAddresses {
  readonly writable: Uint8Array[]
  readonly readonly: Uint8Array[]
}

// The size of the metadata before the addresses in a lookup table.
const metaBytes = 56
const addressBytes = 32

/**
 * Finds the accounts that a transaction loads from lookup tables. Missing table entries are omitted: the engine rejects
 * such a transaction.
 */
export function lookUpAddresses(engine: Engine, message: Message): LoadedAddresses {
  const writable: Uint8Array[] = []
  const readonly: Uint8Array[] = []
  for (const { accountKey, writableIndexes, readonlyIndexes } of message.addressTableLookups) {
    const table = engine.account(accountKey)?.data()
    if (table === undefined) continue
    writable.push(...pick(table, writableIndexes))
    readonly.push(...pick(table, readonlyIndexes))
  }
  return { writable, readonly }
}

function pick(table: Uint8Array, indexes: Uint8Array): Uint8Array[] {
  return Array.from(indexes, (index) => metaBytes + index * addressBytes)
    .map((start) => table.slice(start, start + addressBytes))
    .filter(({ length }) => length === addressBytes)
}
