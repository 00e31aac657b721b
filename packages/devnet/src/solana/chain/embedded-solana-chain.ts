import { CommitmentLevel, type SubscribeUpdateAccountInfo } from '@fairlead/grpc/geyser'
import { getBase58Decoder } from '@solana/kit'
import { stateOf, type EngineAccount } from './engine.ts'
import { errorBytes, failureBytes, invalidWritableAccount } from './error-bytes.ts'
import { readInnerInstructions, readReturnData } from './execution.ts'
import { memo, signTransaction, transferLamports } from './instructions.ts'
import { SlotProducer, type ChainParts } from './slot-producer.ts'
import type {
  ChainEvent,
  SignatureStatus,
  Simulation,
  SimulationOptions,
  SlotContent,
  PendingSlot,
  SolanaChain,
  SolanaExample,
  Tip,
} from './solana-chain.ts'
import { TransactionRefused } from './transaction-refused.ts'
import { verifySignatures } from './verify-signatures.ts'
import { readTransaction, type WireTransaction } from './wire-transaction.ts'

const base58 = getBase58Decoder()

/** A chain in this process. A caller determines when a slot ends. */
export class EmbeddedSolanaChain implements SolanaChain {
  readonly #parts: ChainParts
  readonly #producer: SlotProducer
  readonly #listeners = new Set<(event: ChainEvent) => void>()
  readonly #ending = new AbortController()

  constructor(parts: ChainParts) {
    this.#parts = parts
    this.#producer = new SlotProducer(parts, (event) => this.#notify(event))
  }

  get example(): SolanaExample {
    return this.#parts.origin.example
  }

  get genesisHash(): string {
    return this.#parts.origin.genesisHash
  }

  get pendingSlot(): PendingSlot {
    const { slot, parent, accounts, transactions, entries } = this.#parts.state.slot
    return { slot, parent: parent.slot, accounts, transactions, entries }
  }

  get firstAvailableSlot(): bigint {
    return this.#parts.state.ledger.oldest.slot
  }

  slotsFrom(slot: bigint, commitment: CommitmentLevel): readonly SlotContent[] {
    return this.#parts.state.ledger.slotsFrom(slot, commitment)
  }

  tip(commitment: CommitmentLevel): Tip {
    return this.#parts.state.ledger.tip(commitment)
  }

  isBlockhashValid(blockhash: string, commitment: CommitmentLevel): boolean {
    return this.#parts.state.ledger.isBlockhashValid(blockhash, commitment)
  }

  account(pubkey: Uint8Array): SubscribeUpdateAccountInfo | undefined {
    return accountUpdate(pubkey, this.#parts.engine.account(pubkey))
  }

  statusOf(signature: Uint8Array): SignatureStatus | undefined {
    return this.#parts.state.ledger.statusOf(signature)
  }

  minimumBalance(dataBytes: bigint): bigint {
    return this.#parts.engine.minimumBalance(dataBytes)
  }

  async send(bytes: Uint8Array, { skipPreflight = false } = {}): Promise<Uint8Array> {
    const transaction = readTransaction(bytes)
    if (skipPreflight) this.#producer.admit(transaction)
    else this.#preflight(transaction)
    this.#producer.execute(transaction)
    return transaction.signature
  }

  simulate(bytes: Uint8Array, options: SimulationOptions = {}): Simulation {
    try {
      const transaction = readTransaction(bytes)
      if (options.verifySignatures === true) verifySignatures(transaction)
      this.#producer.admit(transaction)
      return this.#simulate(transaction, options.accounts)
    } catch (error) {
      if (!(error instanceof TransactionRefused)) throw error
      const { err, logs, unitsConsumed } = error
      const noResult = { returnData: undefined, innerInstructions: [], accounts: [] }
      return { slot: this.#parts.state.slot.slot, err, logs, unitsConsumed, ...noResult }
    }
  }

  async airdrop(pubkey: Uint8Array, lamports: bigint): Promise<Uint8Array> {
    const { faucet } = this.#parts.keys
    const { blockhash } = this.tip(CommitmentLevel.PROCESSED)
    // Two airdrops of the same amount to the same account must be two different transactions.
    const instructions = [
      transferLamports(faucet, pubkey, lamports),
      memo(String(this.#parts.state.writeVersion)),
    ]
    // A transaction cannot write to the programs that it calls.
    if (instructions.some(({ programAddress }) => programAddress === base58.decode(pubkey)))
      throw new TransactionRefused(errorBytes(invalidWritableAccount))
    return this.send(signTransaction([faucet], blockhash, instructions))
  }

  listen(listener: (event: ChainEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Aborted when the chain is stopped. */
  get ended(): AbortSignal {
    return this.#ending.signal
  }

  async stop(): Promise<void> {
    if (this.ended.aborted) return
    this.#ending.abort()
    await this.#parts.journal.close()
  }

  /** Ends the slot in progress and begins the next one. */
  makeSlot(): void {
    this.#producer.makeSlot()
  }

  #preflight(transaction: WireTransaction): void {
    verifySignatures(transaction)
    this.#producer.admit(transaction)
    const { err, logs, unitsConsumed } = this.#simulate(transaction)
    if (err !== undefined) throw new TransactionRefused(err, logs, unitsConsumed)
  }

  #simulate({ bytes }: WireTransaction, accounts: readonly Uint8Array[] = []): Simulation {
    const result = this.#parts.engine.simulate(bytes)
    return {
      slot: this.#parts.state.slot.slot,
      err: result.failure === undefined ? undefined : failureBytes(result.failure),
      logs: result.meta.logs(),
      unitsConsumed: result.meta.computeUnitsConsumed(),
      returnData: readReturnData(result),
      innerInstructions: readInnerInstructions(result),
      accounts:
        result.failure === undefined ? accounts.map((key) => accountUpdate(key, result.account(key))) : [],
    }
  }

  #notify(event: ChainEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch (error) {
        // The error of a listener is neither suppressed nor treated as an error of the chain.
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}

function accountUpdate(
  pubkey: Uint8Array,
  account: EngineAccount | undefined,
): SubscribeUpdateAccountInfo | undefined {
  // The engine does not store the write version.
  return account === undefined ? undefined : { ...stateOf(pubkey, account), writeVersion: 0n }
}
