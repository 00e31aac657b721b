import type {
  SubscribeUpdateAccountInfo,
  SubscribeUpdateEntry,
  SubscribeUpdateTransactionInfo,
} from '@fairlead/grpc/geyser'
import type { ChainRecord, ChainSnapshot, PlannedOutcome } from './chain-record.ts'
import { hex, Ledger, type LedgerLimits } from './ledger.ts'
import type { SlotContent } from './solana-chain.ts'

/** The slot in progress. */
export interface OpenSlot {
  readonly slot: bigint
  readonly parent: SlotContent
  readonly blockTime: bigint
  readonly plannedOutcome: PlannedOutcome | undefined
  readonly accounts: SubscribeUpdateAccountInfo[]
  readonly transactions: SubscribeUpdateTransactionInfo[]
  readonly entries: SubscribeUpdateEntry[]
  /** The unmodified bytes of the transactions. */
  readonly sent: Uint8Array[]
}

/** The state of the chain after its steps, without the accounts, which the engine stores. */
export class ChainState {
  readonly ledger: Ledger
  /** The slot in progress; undefined between two slots. */
  open: OpenSlot | undefined
  /** Number of the latest slot, even if it is on a losing branch. */
  latestSlot: bigint
  /** Version of the last write of an account. */
  writeVersion: bigint
  /** Transactions of a discarded slot, for the next one. */
  waiting: Uint8Array[]
  /** Keys of all accounts that were ever written, in hexadecimal. */
  readonly written: Set<string>

  constructor(limits: LedgerLimits, snapshot: ChainSnapshot) {
    this.ledger = new Ledger(limits, snapshot)
    this.latestSlot = snapshot.newestSlot
    this.writeVersion = snapshot.writeVersion
    this.waiting = [...snapshot.waiting]
    this.written = new Set(snapshot.accounts.map(({ pubkey }) => hex(pubkey)))
  }

  /** Applies a step. */
  apply(record: ChainRecord): void {
    if ('accounts' in record) this.#recordWrites(record.accounts)
    if (record.kind === 'opened') this.#open(record)
    else if (record.kind === 'transaction') this.#add(record)
    else if (record.kind === 'entry') this.slot.entries.push(record.entry)
    else if (record.kind === 'made') this.#make(record)
    else this.#discard(this.slot)
  }

  /** The slot in progress. */
  get slot(): OpenSlot {
    if (this.open === undefined) throw new TypeError('no slot is being made')
    return this.open
  }

  #recordWrites(accounts: readonly SubscribeUpdateAccountInfo[]): void {
    this.writeVersion = accounts.at(-1)?.writeVersion ?? this.writeVersion
    for (const { pubkey } of accounts) this.written.add(hex(pubkey))
  }

  #open({ slot, blockTime, doom: plannedOutcome, accounts }: ChainRecord & { kind: 'opened' }): void {
    const parent = this.ledger.latest
    this.latestSlot = slot
    const empty = { transactions: [], entries: [], sent: [] }
    this.open = { slot, parent, blockTime, plannedOutcome, accounts: [...accounts], ...empty }
  }

  #add({ bytes, transaction, accounts, entry }: ChainRecord & { kind: 'transaction' }): void {
    const { slot } = this
    slot.accounts.push(...accounts)
    slot.transactions.push(transaction)
    slot.sent.push(bytes)
    slot.entries.push(entry)
    this.ledger.setStatus(transaction.signature, slot.slot, transaction.meta?.err?.err)
    this.waiting = this.waiting.filter((waiting) => Buffer.compare(waiting, bytes) !== 0)
  }

  #make({ accounts, meta }: ChainRecord & { kind: 'made' }): void {
    const { slot } = this
    slot.accounts.push(...accounts)
    if (slot.plannedOutcome !== undefined) return this.#discard(slot)
    this.ledger.append(contentOf(slot, meta))
    // The remaining transactions have been rejected.
    this.waiting = []
    this.open = undefined
  }

  #discard({ transactions, sent }: OpenSlot): void {
    for (const { signature } of transactions) this.ledger.deleteStatus(signature)
    this.waiting = [...sent, ...this.waiting]
    this.open = undefined
  }
}

/** Combines a slot with the metadata of its end. */
export function contentOf(open: OpenSlot, meta: SlotContent['meta']): SlotContent {
  const { slot, parent, accounts, transactions, entries } = open
  return { slot, parent: parent.slot, accounts, transactions, entries, meta }
}
