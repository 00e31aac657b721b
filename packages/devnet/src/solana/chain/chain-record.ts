import type {
  SubscribeUpdateAccountInfo,
  SubscribeUpdateBlockMeta,
  SubscribeUpdateEntry,
  SubscribeUpdateTransactionInfo,
} from '@fairlead/grpc/geyser'
import type { AccountState } from './engine.ts'
import type { SlotContent, SolanaExample } from './solana-chain.ts'

/** How a slot on a losing branch ends: before it is complete, or when nobody builds on it. */
export type Doom = 'dead' | 'abandoned'

/** A step of the chain. The steps after a snapshot make the chain what it is. */
export type ChainRecord =
  | {
      readonly kind: 'opened'
      readonly slot: bigint
      readonly blockTime: bigint
      readonly doom: Doom | undefined
      readonly accounts: readonly SubscribeUpdateAccountInfo[]
    }
  | {
      readonly kind: 'transaction'
      /** The transaction as it was sent. */
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
  /** The slot under way is given up; the next one has its transactions. */
  | { readonly kind: 'died' }

/** What became of a transaction, by its signature in hexadecimal. */
export type StatusRecord = readonly [
  signature: string,
  status: { readonly slot: bigint; readonly err: Uint8Array | undefined },
]

/** All that is kept of a chain between two slots. */
export interface ChainSnapshot {
  /** From which the chain's own keys are made. */
  readonly seed: Uint8Array
  readonly genesisHash: string
  readonly example: SolanaExample
  /** All accounts that anybody has written. */
  readonly accounts: readonly AccountState[]
  readonly writeVersion: bigint
  /** Number of the newest slot, one that is not on the chain included. */
  readonly newestSlot: bigint
  readonly slots: readonly SlotContent[]
  /** Blockhashes and their heights. */
  readonly blockhashes: readonly (readonly [string, bigint])[]
  readonly statuses: readonly StatusRecord[]
  /** Transactions of a slot that was given up, for the next one. */
  readonly waiting: readonly Uint8Array[]
}

/** Keeps the steps of a chain. */
export interface ChainJournal {
  /** Whether it has become so long that a snapshot is due. */
  readonly isLong: boolean
  /** Keeps a step; it survives the end of this process when the call returns. */
  append(record: ChainRecord): void
  /** Begins anew with a snapshot, between two slots. */
  begin(snapshot: ChainSnapshot): void
  close(): Promise<void>
}
