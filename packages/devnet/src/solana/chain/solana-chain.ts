import type {
  CommitmentLevel,
  InnerInstructions,
  SlotStatus,
  SubscribeUpdateAccountInfo,
  SubscribeUpdateBlockMeta,
  SubscribeUpdateEntry,
  SubscribeUpdateTransactionInfo,
} from '@fairlead/grpc/geyser'

/** The content of one slot, in order of execution. */
export interface SlotContent {
  readonly slot: bigint
  readonly parent: bigint
  /** Every write of an account; the last one of a key contains its state at the end of the slot. */
  readonly accounts: readonly SubscribeUpdateAccountInfo[]
  readonly transactions: readonly SubscribeUpdateTransactionInfo[]
  readonly entries: readonly SubscribeUpdateEntry[]
  readonly meta: SubscribeUpdateBlockMeta
}

/** The current content of the slot in progress. */
export type PendingSlot = Omit<SlotContent, 'meta'>

/** An event of the chain. */
export type ChainEvent =
  /** A transaction was executed in the slot in progress; its accounts come first. */
  | {
      readonly kind: 'transaction'
      readonly slot: bigint
      readonly accounts: readonly SubscribeUpdateAccountInfo[]
      readonly transaction: SubscribeUpdateTransactionInfo
    }
  /** Writes in the slot in progress that do not come from a transaction: of sysvars, and of the leader's reward. */
  | {
      readonly kind: 'accounts'
      readonly slot: bigint
      readonly accounts: readonly SubscribeUpdateAccountInfo[]
    }
  /** An entry of the slot in progress. */
  | { readonly kind: 'entry'; readonly entry: SubscribeUpdateEntry }
  /** The slot is complete; like every reported change, it is already in the journal. */
  | { readonly kind: 'slot-made'; readonly content: SlotContent }
  /** The slot has reached a status; the three commitment levels are reported in ascending order. */
  | { readonly kind: 'status'; readonly slot: bigint; readonly parent: bigint; readonly status: SlotStatus }

/** The tip of the chain at a commitment level. */
export interface Tip {
  readonly slot: bigint
  readonly blockHeight: bigint
  /** base58 */
  readonly blockhash: string
}

/** The status of a transaction. */
export interface SignatureStatus {
  readonly slot: bigint
  readonly commitment: CommitmentLevel
  /** Bytes of the error (bincode); undefined when it succeeded. */
  readonly err: Uint8Array | undefined
}

/** The simulated effects of a transaction. */
export interface Simulation {
  readonly slot: bigint
  readonly err: Uint8Array | undefined
  readonly logs: readonly string[]
  readonly unitsConsumed: bigint
  readonly returnData: { readonly programId: Uint8Array; readonly data: Uint8Array } | undefined
  readonly innerInstructions: readonly InnerInstructions[]
  /** The simulated states of the requested accounts; empty when the transaction fails. */
  readonly accounts: readonly (SubscribeUpdateAccountInfo | undefined)[]
}

/** Options of a simulation. */
export interface SimulationOptions {
  /** Whether its signatures must be valid; false by default. */
  readonly verifySignatures?: boolean
  /** Public keys of accounts whose state to return. */
  readonly accounts?: readonly Uint8Array[]
}

/** Addresses and signatures of the sample data; all values are base58 texts. */
export interface SolanaExample {
  /** Account that pays the generated traffic, owns the token and may mint more of it. */
  readonly payer: string
  /** Account that receives some of it and returns it. */
  readonly recipient: string
  /** An SPL token, and the token accounts of both. */
  readonly mint: string
  readonly token_account: string
  readonly recipient_token_account: string
  readonly [name: string]: string
}

/** The chain behind the two APIs. */
export interface SolanaChain {
  readonly example: SolanaExample
  /** base58 */
  readonly genesisHash: string
  /** The slot in progress; a new listener does not receive events for its current content. */
  readonly pendingSlot: PendingSlot
  /** Oldest slot with stored content. */
  readonly firstAvailableSlot: bigint
  /** Returns the stored slots in order, from the given one, that have reached the level. */
  slotsFrom(slot: bigint, commitment: CommitmentLevel): readonly SlotContent[]
  tip(commitment: CommitmentLevel): Tip
  isBlockhashValid(blockhash: string, commitment: CommitmentLevel): boolean
  /** State of an account at the latest slot. */
  account(pubkey: Uint8Array): SubscribeUpdateAccountInfo | undefined
  statusOf(signature: Uint8Array): SignatureStatus | undefined
  /**
   * Executes a signed transaction in the slot in progress.
   *
   * @returns its signature, 64 bytes
   * @throws {@link TransactionRefused} when it cannot be included in a slot, or when its preflight fails
   */
  send(transaction: Uint8Array, options?: { readonly skipPreflight?: boolean }): Promise<Uint8Array>
  simulate(transaction: Uint8Array, options?: SimulationOptions): Simulation
  /** Minimum balance in lamports of an account with this number of data bytes. */
  minimumBalance(dataBytes: bigint): bigint
  /** Sends lamports by a transaction; returns its signature. */
  airdrop(pubkey: Uint8Array, lamports: bigint): Promise<Uint8Array>
  /** Subscribes to all new events, in order; returns a function that ends the subscription. */
  listen(listener: (event: ChainEvent) => void): () => void
  /** Stops the chain; every reported change remains on disk. */
  stop(): Promise<void>
}
