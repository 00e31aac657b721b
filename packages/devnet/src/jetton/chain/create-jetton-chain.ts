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

/** How to run the chain. */
export interface JettonChainOptions {
  /** Directory of this chain alone; without one nothing of the chain outlives the process. */
  directory?: string | undefined
  /** Seconds from one block to the next when nothing happens, 5 when left out; 0 for no such blocks. */
  secondsPerBlock?: number | undefined
  /** Transactions to keep, 20000 when left out. */
  mostTransactions?: number | undefined
  /** Blocks of the masterchain to keep beside those of the transactions, 20000 when left out. */
  mostBlocks?: number | undefined
  /** Bytes by which the journal may grow before it is written anew, 32 MiB when left out. */
  mostJournalGrowth?: number | undefined
  /** Hears how many milliseconds the sample data of a new chain took, once it is there to stay. */
  onSeeded?: ((durationMs: number) => void) | undefined
  /** Hears that the disk does not take what happens: the chain keeps nothing any more, and has to be created anew. */
  onLost?: ((error: unknown) => void) | undefined
}

/**
 * Creates the chain, with sample data when it is a new one.
 *
 * @param options See {@link JettonChainOptions}.
 * @returns The chain, at work.
 * @throws {@link JournalUnreadable}
 */
export async function createJettonChain(options: JettonChainOptions = {}): Promise<JettonChain> {
  const { directory, secondsPerBlock = 5, mostTransactions = 20_000, mostBlocks = 20_000, onLost } = options
  // A start reads all of the journal, and this much in about a second.
  const { mostJournalGrowth = 32 * 1024 * 1024 } = options
  const executor = await MessageExecutor.create()
  const file = directory === undefined ? undefined : join(directory, 'chain.journal')
  const existing = file === undefined ? undefined : await readChainJournal(file)
  const state: ChainState = {
    accounts: new Accounts(),
    ledger: new Ledger({ mostTransactions, mostBlocks }, existing?.snapshot.isWhole),
    indexer: new JettonIndexer(new ContractReader(executor)),
  }
  const maker = new BlockProducer(executor, state)
  const beganAt = performance.now()
  if (existing !== undefined) restoreChain(state, existing.snapshot, existing.steps)
  const example = existing?.snapshot.example ?? (await beginChain(maker, state))
  const journal =
    file === undefined
      ? memoryAlone
      : await FileJournal.begin(file, () => writeWholeChain(state, example), mostJournalGrowth, existing)
  if (existing === undefined) options.onSeeded?.(Math.round(performance.now() - beganAt))
  return new EmbeddedJettonChain({ executor, state, maker, example, journal, secondsPerBlock, onLost })
}

async function beginChain(maker: BlockProducer, { accounts }: ChainState): Promise<JettonExample> {
  await maker.makeGenesis(new Map([[faucetAccount, faucetAtGenesis(maker.now())]]))
  return addSampleData(maker, accounts)
}

const memoryAlone: ChainJournal = { append: async () => undefined, close: async () => undefined }
