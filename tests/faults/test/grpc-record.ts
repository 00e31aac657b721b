import type { CommitmentLevel } from '@fairlead/grpc/geyser'
import { expect } from 'vitest'
import type { GeyserClient } from './grpc-network.ts'
import { type ReceivedItem, itemOf } from './grpc-update.ts'

/** The updates of a chain at one commitment level, slot by slot. */
export interface ChainRecord {
  readonly commitment: CommitmentLevel
  /** Reads the slots of the chain up to this one with a new client, and waits until it has them. */
  readonly readTo: (slot: bigint) => Promise<void>
  /** Returns all updates of these kinds from one slot to another, both inclusive. */
  readonly between: (from: bigint, to: bigint, kinds: readonly string[]) => readonly string[]
}

export function createChainRecord(
  chain: GeyserClient,
  commitment: CommitmentLevel,
  fromSlot: bigint,
): ChainRecord {
  const updates: ReceivedItem[] = []
  let next = fromSlot
  return {
    commitment,
    async readTo(last) {
      const request = {
        accounts: { all: {} },
        transactions: { all: {} },
        transactionsStatus: { all: {} },
        slots: { own: { filterByCommitment: true } },
        blocks: { all: {} },
        blocksMeta: { all: {} },
        entry: { all: {} },
        commitment,
        fromSlot: next,
      }
      for await (const update of chain.subscribe([request])) {
        const received = itemOf(update)
        if (received && received.slot > last) break
        if (received) updates.push(received)
      }
      next = last + 1n
    },
    between: (from, to, kinds) =>
      updates
        .filter(({ kind, slot }) => slot >= from && slot <= to && kinds.includes(kind))
        .map(({ id }) => id),
  }
}

/**
 * Extends the records up to the current slot of the chain. The chain stores its updates for a limited number of slots,
 * so this has to run repeatedly.
 */
export async function readUpToNow(chain: GeyserClient, records: readonly ChainRecord[]): Promise<void> {
  await Promise.all(
    records.map(async ({ commitment, readTo }) => {
      const { slot } = await chain.getSlot({ commitment })
      await readTo(slot - 1n)
    }),
  )
}

/** Compares the updates that a stream has received for some slots with the record. */
export function expectSame(actual: readonly string[], record: readonly string[], label: string): void {
  const had = new Set(actual)
  const expectedIds = new Set(record)
  expect(
    {
      missing: record.filter((id) => !had.has(id)),
      foreign: actual.filter((id) => !expectedIds.has(id)),
      duplicated: actual.length - had.size,
    },
    label,
  ).toEqual({ missing: [], foreign: [], duplicated: 0 })
}
