import type {
  CommitmentLevel,
  InnerInstructions,
  SlotStatus,
  SubscribeUpdateAccountInfo,
  SubscribeUpdateBlockMeta,
  SubscribeUpdateEntry,
  SubscribeUpdateTransactionInfo,
} from '@fairlead/grpc/geyser'

/** Everything that happened in one slot, in the order in which it happened. */
export interface SlotContent {
  readonly slot: bigint
  readonly parent: bigint
  /** Every write of an account; the last one of a key holds its state at the end of the slot. */
  readonly accounts: readonly SubscribeUpdateAccountInfo[]
  readonly transactions: readonly SubscribeUpdateTransactionInfo[]
  readonly entries: readonly SubscribeUpdateEntry[]
  readonly meta: SubscribeUpdateBlockMeta
}

/** What has happened so far in the slot that is being made. */
export type SlotUnderWay = Omit<SlotContent, 'meta'>

/** What the chain tells as it happens. */
export type ChainEvent =
  /** A transaction was executed in the slot that is being made; its accounts come first. */
  | {
      readonly kind: 'transaction'
      readonly slot: bigint
      readonly accounts: readonly SubscribeUpdateAccountInfo[]
      readonly transaction: SubscribeUpdateTransactionInfo
    }
  /** Writes in the slot that is being made that no transaction made: of sysvars, and of the leader's reward. */
  | {
      readonly kind: 'accounts'
      readonly slot: bigint
      readonly accounts: readonly SubscribeUpdateAccountInfo[]
    }
  /** An entry of the slot that is being made. */
  | { readonly kind: 'entry'; readonly entry: SubscribeUpdateEntry }
  /** The slot is complete; like everything that is told it is in the journal already. */
  | { readonly kind: 'slot-made'; readonly content: SlotContent }
  /** The slot has reached a status; of the three levels of commitment, each comes after the one below it. */
  | { readonly kind: 'status'; readonly slot: bigint; readonly parent: bigint; readonly status: SlotStatus }

/** Where the chain stands at a level of commitment. */
export interface Tip {
  readonly slot: bigint
  readonly blockHeight: bigint
  /** base58 */
  readonly blockhash: string
}

/** What became of a transaction. */
export interface SignatureStatus {
  readonly slot: bigint
  readonly commitment: CommitmentLevel
  /** Bytes of the error (bincode); undefined when it succeeded. */
  readonly err: Uint8Array | undefined
}

/** What a transaction would do. */
export interface Simulation {
  readonly slot: bigint
  readonly err: Uint8Array | undefined
  readonly logs: readonly string[]
  readonly unitsConsumed: bigint
  readonly returnData: { readonly programId: Uint8Array; readonly data: Uint8Array } | undefined
  readonly innerInstructions: readonly InnerInstructions[]
  /** The accounts that were asked for as they would be then; none when the transaction fails. */
  readonly accounts: readonly (SubscribeUpdateAccountInfo | undefined)[]
}

/** How to try a transaction out. */
export interface SimulationOptions {
  /** Whether its signatures must be right; false when left out. */
  readonly verifySignatures?: boolean
  /** Public keys of accounts to tell the state of. */
  readonly accounts?: readonly Uint8Array[]
}

/** Where the sample data stands; all values are base58 texts. */
export interface SolanaExample {
  /** Account that pays the steady traffic, owns the token and may mint more of it. */
  readonly payer: string
  /** Account that gets some of it and gives it back. */
  readonly recipient: string
  /** An SPL token, and the accounts of both that hold some of it. */
  readonly mint: string
  readonly token_account: string
  readonly recipient_token_account: string
  readonly [name: string]: string
}

/** The chain under its interfaces. */
export interface SolanaChain {
  readonly example: SolanaExample
  /** base58 */
  readonly genesisHash: string
  /** The slot that is being made; whoever begins to listen was not told of what is in it by then. */
  readonly slotUnderWay: SlotUnderWay
  /** Oldest slot whose content is still kept. */
  readonly firstAvailableSlot: bigint
  /** Kept slots in order, from the given one, that have reached the level. */
  slotsFrom(slot: bigint, commitment: CommitmentLevel): readonly SlotContent[]
  tip(commitment: CommitmentLevel): Tip
  isBlockhashValid(blockhash: string, commitment: CommitmentLevel): boolean
  /** State of an account at the newest slot. */
  account(pubkey: Uint8Array): SubscribeUpdateAccountInfo | undefined
  statusOf(signature: Uint8Array): SignatureStatus | undefined
  /**
   * Executes a signed transaction in the slot that is being made.
   *
   * @returns its signature, 64 bytes
   * @throws {@link TransactionRefused} when it does not get into a slot, or when its preflight fails
   */
  send(transaction: Uint8Array, options?: { readonly skipPreflight?: boolean }): Promise<Uint8Array>
  simulate(transaction: Uint8Array, options?: SimulationOptions): Simulation
  /** Lamports that an account with so many bytes of data must hold. */
  minimumBalance(dataBytes: bigint): bigint
  /** Gives lamports by a transaction; returns its signature. */
  airdrop(pubkey: Uint8Array, lamports: bigint): Promise<Uint8Array>
  /** Hears of everything from now on, in order; returns a function that ends the hearing. */
  listen(listener: (event: ChainEvent) => void): () => void
  /** Ends the chain; what was told stays on the disk. */
  stop(): Promise<void>
}
