import type {
  SubscribeUpdateAccountInfo,
  SubscribeUpdateBlockMeta,
  SubscribeUpdateEntry,
  SubscribeUpdateTransactionInfo,
} from '@fairlead/grpc/geyser'
import type { AccountState } from './engine.ts'
import type { SlotContent, SolanaExample } from './solana-chain.ts'

/** How a slot on a losing branch ends: before it is complete, or complete but without a child block. */
export type PlannedOutcome = 'dead' | 'abandoned'

/** A step of the chain. The state of the chain is a snapshot with all steps after it. */
export type ChainRecord =
  | {
      readonly kind: 'opened'
      readonly slot: bigint
      readonly blockTime: bigint
      readonly doom: PlannedOutcome | undefined
      readonly accounts: readonly SubscribeUpdateAccountInfo[]
    }
  | {
      readonly kind: 'transaction'
      /** The unmodified bytes of the transaction. */
      readonly bytes: Uint8Array
      readonly transaction: SubscribeUpdateTransactionInfo
      readonly accounts: readonly SubscribeUpdateAccountInfo[]
      readonly entry: SubscribeUpdateEntry
    }
  | { readonly kind: 'entry'; readonly entry: SubscribeUpdateEntry }
  | {
      readonly kind: 'made'
      readonly accounts: readonly SubscribeUpdateAccountInfo[]
      readonly meta: SubscribeUpdateBlockMeta
    }
  /** The slot in progress is discarded; the next one includes its transactions. */
  | { readonly kind: 'died' }

/** The status of a transaction, by its signature in hexadecimal. */
export type StatusRecord = readonly [
  signature: string,
  status: { readonly slot: bigint; readonly err: Uint8Array | undefined },
]

/** The stored data of a chain between two slots. */
export interface ChainSnapshot {
  /** The seed of the chain's built-in keys. */
  readonly seed: Uint8Array
  readonly genesisHash: string
  readonly example: SolanaExample
  /** All accounts that were ever written. */
  readonly accounts: readonly AccountState[]
  readonly writeVersion: bigint
  /** Number of the latest slot, even if it is on a losing branch. */
  readonly newestSlot: bigint
  readonly slots: readonly SlotContent[]
  /** Blockhashes and their heights. */
  readonly blockhashes: readonly (readonly [string, bigint])[]
  readonly statuses: readonly StatusRecord[]
  /** Transactions of a discarded slot, for the next one. */
  readonly waiting: readonly Uint8Array[]
}

/** Stores the steps of a chain. */
export interface ChainJournal {
  /** Whether the journal has become so long that a snapshot is due. */
  readonly isLong: boolean
  /** Stores a step; it survives the end of this process once the call returns. */
  append(record: ChainRecord): void
  /** Starts the journal again with a snapshot, between two slots. */
  begin(snapshot: ChainSnapshot): void
  close(): Promise<void>
}
