import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  readSolanaJournal,
  SolanaJournal,
  writeNewJournal,
  type KeptChain,
} from '../journal/solana-journal.ts'
import type { ChainRecord, Doom } from './chain-record.ts'
import { ChainState } from './chain-state.ts'
import { EmbeddedSolanaChain } from './embedded-solana-chain.ts'
import { Engine, type AccountState } from './engine.ts'
import { makeFreshChain } from './fresh-chain.ts'
import { hex, type LedgerLimits } from './ledger.ts'
import { sampleKeys } from './sample-keys.ts'
import { scheduleSlots } from './slot-schedule.ts'
import { createTraffic } from './traffic.ts'

/** How to run the chain. */
export interface SolanaChainOptions {
  /** Directory of this chain alone. */
  readonly directory: string
  /** Seconds from one slot to the next, 0.4 when left out; 0 for slots by {@link EmbeddedSolanaChain.makeSlot} alone. */
  readonly secondsPerSlot?: number | undefined
  /** Whether transactions of the chain's own come in each slot; true when left out. */
  readonly traffic?: boolean | undefined
  /** Whether a slot is made on a losing branch now and then; false when left out. */
  readonly branching?: boolean | undefined
  /** Slots whose content is kept, 150 when left out. */
  readonly keptSlots?: number | undefined
  /** Blocks upon a block that make it final, 32 when left out. */
  readonly finalityBlocks?: number | undefined
  /** Bytes by which the journal may grow before it is written anew, 16 MiB when left out. */
  readonly mostJournalGrowth?: number | undefined
  /** Hears that a fresh chain has its sample data, and how many milliseconds that took. */
  readonly onSeeded?: ((durationMs: number) => void) | undefined
  /** Hears that the chain cannot go on, for example because the disk is full. */
  readonly onLost: (error: unknown) => void
}

const branchEvery = 16n

/**
 * Starts the chain: goes on where its journal ends, or begins afresh with sample data.
 *
 * @throws JournalUnreadable when there is a journal that cannot be read
 * @throws EngineUnavailable when there is no engine for this platform
 */
export async function createSolanaChain(options: SolanaChainOptions): Promise<EmbeddedSolanaChain> {
  const { directory, secondsPerSlot = 0.4, traffic = true, branching = false, onLost } = options
  const { keptSlots = 150, finalityBlocks = 32, mostJournalGrowth = 16 << 20 } = options
  const limits = { keptSlots, finalityBlocks }
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'chain.journal')
  const kept = (await readSolanaJournal(file)) ?? (await begin(file, limits, options.onSeeded))
  const { snapshot, records } = kept
  const { seed, genesisHash, example } = snapshot
  const keys = sampleKeys(seed)
  const state = new ChainState(limits, snapshot)
  const accounts = new Map(snapshot.accounts.map((account) => [hex(account.pubkey), account]))
  for (const record of records) replay(record, state, accounts)
  const engine = await Engine.start([...accounts.values()], state.newestSlot)
  const chain = new EmbeddedSolanaChain({
    engine,
    state,
    journal: new SolanaJournal(file, kept, mostJournalGrowth, onLost),
    keys,
    origin: { seed, genesisHash, example },
    doomOf: branching ? doomOf : () => undefined,
  })
  const steady = traffic ? createTraffic(chain, keys) : undefined
  if (secondsPerSlot > 0) scheduleSlots(chain, secondsPerSlot, steady, onLost)
  return chain
}

async function begin(
  file: string,
  limits: LedgerLimits,
  onSeeded: SolanaChainOptions['onSeeded'],
): Promise<KeptChain> {
  const beganAt = performance.now()
  const snapshot = await makeFreshChain(limits)
  const bytes = writeNewJournal(file, snapshot)
  onSeeded?.(Math.round(performance.now() - beganAt))
  return { snapshot, records: [], bytes }
}

function replay(record: ChainRecord, state: ChainState, accounts: Map<string, AccountState>): void {
  const doom = record.kind === 'opened' ? record.doom : state.slot.doom
  state.apply(record)
  // What happens on a losing branch leaves no trace; of the slot under way the chain itself takes care.
  if (doom !== undefined || !('accounts' in record)) return
  for (const account of record.accounts) accounts.set(hex(account.pubkey), account)
}

// Losing branches of both kinds in turn.
function doomOf(slot: bigint): Doom | undefined {
  if (slot % branchEvery !== 0n) return undefined
  return (slot / branchEvery) % 2n === 0n ? 'dead' : 'abandoned'
}
