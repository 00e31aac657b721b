import type {
  IndexedJettonBurn,
  IndexedJettonMaster,
  IndexedJettonMint,
  IndexedJettonTransfer,
  IndexedJettonWallet,
  JettonIndex,
} from '../chain/jetton-chain.ts'
import type { Step } from '../chain/step.ts'
import type { ContractReader } from './contract-reader.ts'
import type { IndexChange } from './index-change.ts'
import { JettonLookup, type StateOf } from './jetton-lookup.ts'
import { readRows } from './jetton-rows.ts'

const noChange: IndexChange = { masters: [], wallets: [], transfers: [], burns: [], mints: [] }

/** Keeps the jetton index synchronized with the chain. */
export class JettonIndexer implements JettonIndex {
  readonly masters = new Map<string, IndexedJettonMaster>()
  readonly wallets = new Map<string, IndexedJettonWallet>()
  readonly transfers: IndexedJettonTransfer[] = []
  readonly burns: IndexedJettonBurn[] = []
  readonly mints: IndexedJettonMint[] = []
  readonly #reader: ContractReader

  constructor(reader: ContractReader) {
    this.#reader = reader
  }

  /**
   * Derives the index changes of a step, without applying them.
   *
   * @param step The step.
   * @param stateOf States of accounts after it.
   */
  async read(step: Step, stateOf: StateOf): Promise<IndexChange> {
    if (step.trace === undefined) return noChange
    const lookup = new JettonLookup(this.#reader, this, stateOf, step.record.genUtime)
    const rows = await readRows(step.trace.transactions, lookup)
    return { ...rows, ...lookup.changes() }
  }

  /** Applies the result of {@link read}. */
  apply(change: IndexChange): void {
    for (const master of change.masters) this.masters.set(master.address, master)
    for (const wallet of change.wallets) this.wallets.set(wallet.address, wallet)
    this.transfers.push(...change.transfers)
    this.burns.push(...change.burns)
    this.mints.push(...change.mints)
  }

  /**
   * Removes the rows of transactions that are no longer stored.
   *
   * @param oldestLt Logical time of the oldest stored transaction.
   */
  prune(oldestLt: bigint): void {
    for (const rows of [this.transfers, this.burns, this.mints]) {
      const firstRetained = rows.findIndex(({ transaction }) => transaction.lt >= oldestLt)
      rows.splice(0, firstRetained === -1 ? rows.length : firstRetained)
    }
  }
}
