import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  readSolanaJournal,
  SolanaJournal,
  writeNewJournal,
  type StoredChain,
} from '../journal/solana-journal.ts'
import type { ChainRecord, PlannedOutcome } from './chain-record.ts'
import { ChainState } from './chain-state.ts'
import { EmbeddedSolanaChain } from './embedded-solana-chain.ts'
import { Engine, type AccountState } from './engine.ts'
import { makeFreshChain } from './fresh-chain.ts'
import { hex, type LedgerLimits } from './ledger.ts'
import { sampleKeys } from './sample-keys.ts'
import { scheduleSlots } from './slot-schedule.ts'
import { createTraffic } from './traffic.ts'

/** Options of the chain. */
export interface SolanaChainOptions {
  /** Directory that only this chain uses. */
  readonly directory: string
  /**
   * Seconds from one slot to the next, 0.4 by default; 0 to produce slots only by {@link EmbeddedSolanaChain.makeSlot}.
   */
  readonly secondsPerSlot?: number | undefined
  /** Whether each slot contains generated transactions; true by default. */
  readonly traffic?: boolean | undefined
  /** Whether some slots are produced on a losing branch; false by default. */
  readonly branching?: boolean | undefined
  /** Number of slots with stored content, 150 by default. */
  readonly storedSlots?: number | undefined
  /** Number of blocks after a block that make it final, 32 by default. */
  readonly finalityBlocks?: number | undefined
  /** Bytes by which the journal may grow before it is rewritten, 16 MiB by default. */
  readonly maxJournalGrowth?: number | undefined
  /** Called when a fresh chain has its sample data, with the milliseconds that this took. */
  readonly onSeeded?: ((durationMs: number) => void) | undefined
  /** Called when the chain cannot continue, for example because the disk is full. */
  readonly onLost: (error: unknown) => void
}

const branchEvery = 16n

/**
 * Starts the chain: it resumes from its journal, or begins with sample data.
 *
 * @throws JournalUnreadable when there is a journal that cannot be read
 * @throws EngineUnavailable when there is no engine for this platform
 */
export async function createSolanaChain(options: SolanaChainOptions): Promise<EmbeddedSolanaChain> {
  const { directory, secondsPerSlot = 0.4, traffic = true, branching = false, onLost } = options
  const { storedSlots = 150, finalityBlocks = 32, maxJournalGrowth = 16 << 20 } = options
  const limits = { storedSlots, finalityBlocks }
  mkdirSync(directory, { recursive: true })
  const file = join(directory, 'chain.journal')
  const stored = (await readSolanaJournal(file)) ?? (await begin(file, limits, options.onSeeded))
  const { snapshot, records } = stored
  const { seed, genesisHash, example } = snapshot
  const keys = sampleKeys(seed)
  const state = new ChainState(limits, snapshot)
  const accounts = new Map(snapshot.accounts.map((account) => [hex(account.pubkey), account]))
  for (const record of records) replay(record, state, accounts)
  const engine = await Engine.start([...accounts.values()], state.latestSlot)
  const chain = new EmbeddedSolanaChain({
    engine,
    state,
    journal: new SolanaJournal(file, stored, maxJournalGrowth, onLost),
    keys,
    origin: { seed, genesisHash, example },
    plannedOutcomeOf: branching ? plannedOutcomeOf : () => undefined,
  })
  const generatedTraffic = traffic ? createTraffic(chain, keys) : undefined
  if (secondsPerSlot > 0) scheduleSlots(chain, secondsPerSlot, generatedTraffic, onLost)
  return chain
}

async function begin(
  file: string,
  limits: LedgerLimits,
  onSeeded: SolanaChainOptions['onSeeded'],
): Promise<StoredChain> {
  const beganAt = performance.now()
  const snapshot = await makeFreshChain(limits)
  const bytes = writeNewJournal(file, snapshot)
  onSeeded?.(Math.round(performance.now() - beganAt))
  return { snapshot, records: [], bytes }
}

function replay(record: ChainRecord, state: ChainState, accounts: Map<string, AccountState>): void {
  const plannedOutcome = record.kind === 'opened' ? record.doom : state.slot.plannedOutcome
  state.apply(record)
  // Changes on a losing branch are discarded; the chain itself processes the slot in progress.
  if (plannedOutcome !== undefined || !('accounts' in record)) return
  for (const account of record.accounts) accounts.set(hex(account.pubkey), account)
}

// The two kinds of losing branches alternate.
function plannedOutcomeOf(slot: bigint): PlannedOutcome | undefined {
  if (slot % branchEvery !== 0n) return undefined
  return (slot / branchEvery) % 2n === 0n ? 'dead' : 'abandoned'
}
