import { join } from 'node:path'
import { FileJournal, readChainJournal } from '../journal/chain-journal.ts'
import { restoreChain, writeWholeChain } from '../journal/whole-chain.ts'
import { ContractReader } from '../jettons/contract-reader.ts'
import { JettonIndexer } from '../jettons/jetton-indexer.ts'
import { Accounts } from './accounts.ts'
import { BlockProducer, type ChainState } from './block-producer.ts'
import { EmbeddedJettonChain, type ChainJournal } from './embedded-jetton-chain.ts'
import { faucetAccount, faucetAtGenesis } from './faucet.ts'
import type { JettonChain, JettonExample } from './jetton-chain.ts'
import { Ledger } from './ledger.ts'
import { MessageExecutor } from './message-executor.ts'
import { addSampleData } from './sample-data.ts'

/** Options of the chain. */
export interface JettonChainOptions {
  /** Directory that only this chain uses; without one the chain is lost when the process ends. */
  directory?: string | undefined
  /** Seconds between two blocks without messages, 5 by default; 0 disables such blocks. */
  secondsPerBlock?: number | undefined
  /** Maximum number of stored transactions, 20000 by default. */
  maxTransactions?: number | undefined
  /** Maximum number of stored masterchain blocks in addition to those of the transactions, 20000 by default. */
  maxBlocks?: number | undefined
  /** Bytes by which the journal may grow before it is rewritten, 32 MiB by default. */
  maxJournalGrowth?: number | undefined
  /** Called with the milliseconds that the sample data of a new chain took, once it is stored on disk. */
  onSeeded?: ((durationMs: number) => void) | undefined
  /**
   * Called when the journal cannot be written to disk: the chain stores nothing from then on, and must be created
   * again.
   */
  onLost?: ((error: unknown) => void) | undefined
}

/**
 * Creates the chain, with sample data if it is new.
 *
 * @param options See {@link JettonChainOptions}.
 * @returns The running chain.
 * @throws {@link JournalUnreadable}
 */
export async function createJettonChain(options: JettonChainOptions = {}): Promise<JettonChain> {
  const { directory, secondsPerBlock = 5, maxTransactions = 20_000, maxBlocks = 20_000, onLost } = options
  // A start reads the whole journal; it reads this size in about a second.
  const { maxJournalGrowth = 32 * 1024 * 1024 } = options
  const executor = await MessageExecutor.create()
  const file = directory === undefined ? undefined : join(directory, 'chain.journal')
  const existing = file === undefined ? undefined : await readChainJournal(file)
  const state: ChainState = {
    accounts: new Accounts(),
    ledger: new Ledger({ maxTransactions, maxBlocks }, existing?.snapshot.isWhole),
    indexer: new JettonIndexer(new ContractReader(executor)),
  }
  const producer = new BlockProducer(executor, state)
  const beganAt = performance.now()
  if (existing !== undefined) restoreChain(state, existing.snapshot, existing.steps)
  const example = existing?.snapshot.example ?? (await beginChain(producer, state))
  const journal =
    file === undefined
      ? noJournal
      : await FileJournal.begin(file, () => writeWholeChain(state, example), maxJournalGrowth, existing)
  if (existing === undefined) options.onSeeded?.(Math.round(performance.now() - beganAt))
  return new EmbeddedJettonChain({ executor, state, producer, example, journal, secondsPerBlock, onLost })
}

async function beginChain(producer: BlockProducer, { accounts }: ChainState): Promise<JettonExample> {
  await producer.makeGenesis(new Map([[faucetAccount, faucetAtGenesis(producer.now())]]))
  return addSampleData(producer, accounts)
}

const noJournal: ChainJournal = { append: async () => undefined, close: async () => undefined }
