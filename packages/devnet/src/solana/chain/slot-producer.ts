import {
  CommitmentLevel,
  RewardType,
  SlotStatus,
  type SubscribeUpdateAccountInfo,
  type SubscribeUpdateEntry,
} from '@fairlead/grpc/geyser'
import { getBase58Decoder } from '@solana/kit'
import type { ChainJournal, ChainRecord, ChainSnapshot, PlannedOutcome } from './chain-record.ts'
import { contentOf, type ChainState, type OpenSlot } from './chain-state.ts'
import { isNonceCurrent } from './durable-nonce.ts'
import { stateOf, type AccountState, type Engine } from './engine.ts'
import { alreadyProcessed, blockhashNotFound, errorBytes } from './error-bytes.ts'
import { describeAccount, executeTransaction } from './execution.ts'
import { heightOf, hex } from './ledger.ts'
import { hashesPerEntry, nextEntryHash } from './proof-of-history.ts'
import type { SampleKeys } from './sample-keys.ts'
import type { ChainEvent, SlotContent } from './solana-chain.ts'
import { beginSlot, lastHashOf } from './sysvars.ts'
import { lamportsPerSignature } from './transaction-fee.ts'
import { TransactionRefused } from './transaction-refused.ts'
import { readTransaction, type WireTransaction } from './wire-transaction.ts'

const base58 = getBase58Decoder()

/** The components of a chain. */
export interface ChainParts {
  readonly engine: Engine
  readonly state: ChainState
  readonly journal: ChainJournal
  readonly keys: SampleKeys
  readonly origin: Pick<ChainSnapshot, 'seed' | 'genesisHash' | 'example'>
  /** Which slots are produced on a losing branch. */
  readonly plannedOutcomeOf: (slot: bigint) => PlannedOutcome | undefined
}

/**
 * Produces the slots of a chain, one after the other: each step is written to the journal, applied to the state and
 * then reported.
 */
export class SlotProducer {
  readonly #engine: Engine
  readonly #state: ChainState
  readonly #journal: ChainJournal
  readonly #leader: SampleKeys['leader']
  readonly #origin: ChainParts['origin']
  readonly #plannedOutcomeOf: ChainParts['plannedOutcomeOf']
  readonly #report: (event: ChainEvent) => void
  // Account states before a slot on a losing branch, by their keys.
  readonly #before = new Map<string, AccountState>()

  /**
   * @param report Called with all events in order.
   */
  constructor(
    { engine, state, journal, keys, origin, plannedOutcomeOf }: ChainParts,
    report: (event: ChainEvent) => void,
  ) {
    this.#engine = engine
    this.#state = state
    this.#journal = journal
    this.#leader = keys.leader
    this.#origin = origin
    this.#plannedOutcomeOf = plannedOutcomeOf
    this.#report = report
    if (state.open === undefined) this.#openSlot()
    else this.#resumeSlot(state.open)
  }

  /** Ends the slot in progress and begins the next one. */
  makeSlot(): void {
    const { slot } = this.#state
    if (slot.plannedOutcome === 'dead') this.#killSlot(slot)
    else this.#completeSlot(slot)
    this.#engine.setAccounts([...this.#before.values()])
    this.#before.clear()
    if (this.#journal.isLong) this.#journal.begin(this.#snapshot())
    this.#openSlot()
  }

  /**
   * Rejects transactions that the engine would accept because it has no blockhashes and no history.
   *
   * @throws {@link TransactionRefused} with BlockhashNotFound or AlreadyProcessed
   */
  admit(transaction: WireTransaction): void {
    const { ledger } = this.#state
    const isRecent = ledger.isBlockhashValid(transaction.recentBlockhash, CommitmentLevel.PROCESSED)
    if (!isRecent && !isNonceCurrent(this.#engine, transaction)) {
      throw new TransactionRefused(errorBytes(blockhashNotFound))
    }
    if (ledger.statusOf(transaction.signature) !== undefined) {
      throw new TransactionRefused(errorBytes(alreadyProcessed))
    }
  }

  #retry(bytes: Uint8Array): void {
    try {
      const transaction = readTransaction(bytes)
      this.admit(transaction)
      this.execute(transaction)
    } catch (error) {
      // It may be too late for this branch.
      if (!(error instanceof TransactionRefused)) throw error
    }
  }

  /**
   * Executes a transaction in the slot in progress.
   *
   * @throws {@link TransactionRefused}
   */
  execute(sent: WireTransaction): void {
    const { bytes, signature, content } = sent
    const { meta, writes, before } = executeTransaction(this.#engine, sent)
    const { slot, transactions, plannedOutcome } = this.#state.slot
    if (plannedOutcome !== undefined) this.#rememberAccounts(before())
    const accounts = this.#version(writes, signature)
    const index = BigInt(transactions.length)
    const transaction = { signature, isVote: false, transaction: content, meta, index }
    const entry = this.#nextEntry(content.signatures)
    this.#commit({ kind: 'transaction', bytes, transaction, accounts, entry })
    this.#report({ kind: 'transaction', slot, accounts, transaction })
    this.#report({ kind: 'entry', entry })
  }

  /** Creates the entry of the next transaction, or a tick without transactions. */
  #nextEntry(signatures: readonly Uint8Array[]): SubscribeUpdateEntry {
    const { slot, entries, transactions } = this.#state.slot
    return {
      slot,
      index: BigInt(entries.length),
      numHashes: BigInt(hashesPerEntry),
      hash: nextEntryHash(this.#lastHash(), signatures),
      executedTransactionCount: signatures.length === 0 ? 0n : 1n,
      startingTransactionIndex: BigInt(transactions.length),
    }
  }

  #lastHash(): Uint8Array {
    const { entries, parent } = this.#state.slot
    return entries.at(-1)?.hash ?? lastHashOf(parent)
  }

  #version(writes: readonly AccountState[], txnSignature?: Uint8Array): SubscribeUpdateAccountInfo[] {
    return writes.map((account, position) => ({
      ...account,
      writeVersion: this.#state.writeVersion + BigInt(position) + 1n,
      ...(txnSignature && { txnSignature }),
    }))
  }

  // Only changes that survive the end of the process are reported.
  #commit(record: ChainRecord): void {
    this.#journal.append(record)
    this.#state.apply(record)
  }

  #snapshot(): ChainSnapshot {
    const { ledger, writeVersion, latestSlot, waiting, written } = this.#state
    const accounts = Array.from(written, (key) => this.#stateOf(Buffer.from(key, 'hex'))).filter(
      ({ lamports }) => lamports > 0n,
    )
    return { ...this.#origin, ...ledger.content(), accounts, writeVersion, newestSlot: latestSlot, waiting }
  }

  #openSlot(): void {
    const { ledger, latestSlot } = this.#state
    const slot = latestSlot + 1n
    const plannedOutcome = this.#plannedOutcomeOf(slot)
    const blockTime = BigInt(Math.floor(Date.now() / 1_000))
    const accounts = this.#version(this.#begin(slot, blockTime))
    this.#commit({ kind: 'opened', slot, blockTime, doom: plannedOutcome, accounts })
    const parent = ledger.latest.slot
    this.#report({ kind: 'status', slot, parent, status: SlotStatus.SLOT_FIRST_SHRED_RECEIVED })
    this.#report({ kind: 'status', slot, parent, status: SlotStatus.SLOT_CREATED_BANK })
    this.#report({ kind: 'accounts', slot, accounts })
    for (const bytes of this.#state.waiting) this.#retry(bytes)
  }

  #resumeSlot({ slot, blockTime, plannedOutcome, accounts }: OpenSlot): void {
    this.#begin(slot, blockTime)
    if (plannedOutcome !== undefined)
      this.#rememberAccounts(accounts.map(({ pubkey }) => this.#stateOf(pubkey)))
    this.#engine.setAccounts(accounts)
    for (const bytes of this.#state.waiting) this.#retry(bytes)
  }

  // Only the first state of an account in a slot is stored.
  #rememberAccounts(accounts: readonly AccountState[]): void {
    for (const account of accounts) {
      const key = hex(account.pubkey)
      if (!this.#before.has(key)) this.#before.set(key, account)
    }
  }

  #stateOf(pubkey: Uint8Array): AccountState {
    return describeAccount(pubkey, this.#engine.account(pubkey))
  }

  #begin(slot: bigint, blockTime: bigint): AccountState[] {
    const parents = this.#state.ledger.slotsFrom(0n, CommitmentLevel.PROCESSED)
    return beginSlot(this.#engine, slot, blockTime, parents)
  }

  #killSlot({ slot, parent }: OpenSlot): void {
    this.#commit({ kind: 'died' })
    this.#report({ kind: 'status', slot, parent: parent.slot, status: SlotStatus.SLOT_DEAD })
  }

  #completeSlot(open: OpenSlot): void {
    const { slot } = open
    const parent = open.parent.slot
    const { ledger } = this.#state
    const entry = this.#nextEntry([])
    this.#commit({ kind: 'entry', entry })
    this.#report({ kind: 'entry', entry })
    const { accounts, rewards } = this.#payLeader(open)
    const meta: SlotContent['meta'] = {
      slot,
      blockhash: base58.decode(this.#lastHash()),
      rewards: { rewards, numPartitions: undefined },
      blockTime: { timestamp: open.blockTime },
      blockHeight: { blockHeight: heightOf(open.parent) + 1n },
      parentSlot: parent,
      parentBlockhash: open.parent.meta.blockhash,
      executedTransactionCount: BigInt(open.transactions.length),
      entriesCount: BigInt(open.entries.length),
    }
    const confirmed = ledger.at(CommitmentLevel.CONFIRMED)
    const finalized = ledger.at(CommitmentLevel.FINALIZED)
    this.#commit({ kind: 'made', accounts, meta })
    if (accounts.length > 0) this.#report({ kind: 'accounts', slot, accounts })
    this.#report({ kind: 'status', slot, parent, status: SlotStatus.SLOT_COMPLETED })
    this.#report({ kind: 'slot-made', content: contentOf(open, meta) })
    this.#report({ kind: 'status', slot, parent, status: SlotStatus.SLOT_PROCESSED })
    this.#reportProgress(confirmed, CommitmentLevel.CONFIRMED, SlotStatus.SLOT_CONFIRMED)
    this.#reportProgress(finalized, CommitmentLevel.FINALIZED, SlotStatus.SLOT_FINALIZED)
  }

  #reportProgress(before: SlotContent, commitment: CommitmentLevel, status: SlotStatus): void {
    for (const { slot, parent } of this.#state.ledger.slotsFrom(before.slot + 1n, commitment)) {
      this.#report({ kind: 'status', slot, parent, status })
    }
  }

  #payLeader({ transactions }: OpenSlot): Pick<ChainRecord & { kind: 'made' }, 'accounts'> & {
    readonly rewards: NonNullable<SlotContent['meta']['rewards']>['rewards']
  } {
    const fees = transactions.reduce((sum, { meta }) => sum + (meta?.fee ?? 0n), 0n)
    const signatures = transactions.reduce(
      (sum, { transaction }) => sum + (transaction?.signatures.length ?? 0),
      0,
    )
    const base = BigInt(signatures) * lamportsPerSignature
    // Half of the base fee is burnt; the leader receives the other half and the priority fees.
    const lamports = fees - base / 2n
    const leader = this.#leader
    const account = this.#engine.account(leader.publicKey)
    if (lamports <= 0n || account === undefined) return { accounts: [], rewards: [] }
    const state = stateOf(leader.publicKey, account)
    const postBalance = state.lamports + lamports
    const paid = { ...state, lamports: postBalance }
    if (this.#state.slot.plannedOutcome !== undefined) this.#rememberAccounts([state])
    this.#engine.setAccount(paid)
    const reward = { lamports, postBalance, rewardType: RewardType.Fee, commission: '', commissionBps: '' }
    return { accounts: this.#version([paid]), rewards: [{ pubkey: leader.address, ...reward }] }
  }
}
