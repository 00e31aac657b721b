import type { CommitmentLevel } from '@fairlead/grpc/geyser'
import { expect } from 'vitest'
import type { GeyserClient } from './grpc-network.ts'
import { type Seen, seenIn } from './grpc-update.ts'

/** What a chain says of itself at one level, slot by slot. */
export interface ChainRecord {
  readonly commitment: CommitmentLevel
  /** Asks the chain for its slots up to this one, as a client that comes only now; waits until it has them. */
  readonly readTo: (slot: bigint) => Promise<void>
  /** All updates of these kinds from one slot to another, both included. */
  readonly between: (from: bigint, to: bigint, kinds: readonly string[]) => readonly string[]
}

export function createChainRecord(
  chain: GeyserClient,
  commitment: CommitmentLevel,
  fromSlot: bigint,
): ChainRecord {
  const updates: Seen[] = []
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
        const seen = seenIn(update)
        if (seen && seen.slot > last) break
        if (seen) updates.push(seen)
      }
      next = last + 1n
    },
    between: (from, to, kinds) =>
      updates
        .filter(({ kind, slot }) => slot >= from && slot <= to && kinds.includes(kind))
        .map(({ id }) => id),
  }
}

/** Reads the records as far as the chain is. It keeps its updates for some slots only, so this has to happen again and again. */
export async function readUpToNow(chain: GeyserClient, records: readonly ChainRecord[]): Promise<void> {
  await Promise.all(
    records.map(async ({ commitment, readTo }) => {
      const { slot } = await chain.getSlot({ commitment })
      await readTo(slot - 1n)
    }),
  )
}

/** Compares what a stream has brought of some slots with the record. */
export function expectSame(got: readonly string[], record: readonly string[], what: string): void {
  const had = new Set(got)
  const was = new Set(record)
  expect(
    {
      missing: record.filter((id) => !had.has(id)),
      foreign: got.filter((id) => !was.has(id)),
      doubled: got.length - had.size,
    },
    what,
  ).toEqual({ missing: [], foreign: [], doubled: 0 })
}
