import type {
  Account,
  Clock,
  FailedTransactionMetadata,
  LiteSvm,
  TransactionMetadata,
} from 'litesvm/dist/internal.js'

/** The engine is not installed for this platform; the message says what to do. */
export class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable'
}

/** State of an account as the engine gives it; its data are copied by each call of `data()`. */
export type EngineAccount = Account

/** What an execution gave. */
export interface EngineOutcome {
  readonly meta: TransactionMetadata
  /** The engine's own form of the error. */
  readonly failure: ReturnType<FailedTransactionMetadata['err']> | undefined
}

/** What a trial gave. */
export interface EngineTrial extends EngineOutcome {
  /** State of an account after it. */
  account(pubkey: Uint8Array): EngineAccount | undefined
}

/** An account as it is written. */
export interface AccountState {
  readonly pubkey: Uint8Array
  readonly lamports: bigint
  readonly owner: Uint8Array
  readonly executable: boolean
  readonly rentEpoch: bigint
  readonly data: Uint8Array
}

// The package's main module wants its own classes of addresses and transactions; this one takes their bytes.
interface EngineModule {
  readonly Account: typeof Account
  readonly Clock: typeof Clock
  readonly LiteSvm: typeof LiteSvm
}

// After so many slots its hashes begin again.
const mostHashesSkipped = 10_000n

/** The virtual machine of Solana with its accounts. It knows no slots, no blockhashes and no history. */
export class Engine {
  readonly #module: EngineModule
  readonly #machine: LiteSvm

  private constructor(module: EngineModule, machine: LiteSvm) {
    this.#module = module
    this.#machine = machine
  }

  /**
   * Starts the engine.
   *
   * @param accounts Accounts to begin with, beside those that every machine has.
   * @param slot The newest slot.
   * @throws {@link EngineUnavailable}
   */
  static async start(accounts: readonly AccountState[] = [], slot = 0n): Promise<Engine> {
    const module = await loadEngine()
    const machine = new module.LiteSvm()
    // It would accept its newest hash alone and refuse a transaction for as long as it remembers it.
    machine.setBlockhashCheck(false)
    machine.setTransactionHistory(0n)
    // Nonces are made of its hashes, which come in the same order in each machine: none must meet the one it was made of.
    for (let hash = 0n; hash < slot % mostHashesSkipped; hash++) machine.expireBlockhash()
    const engine = new Engine(module, machine)
    engine.setAccounts(accounts)
    return engine
  }

  account(pubkey: Uint8Array): EngineAccount | undefined {
    return this.#machine.getAccount(pubkey) ?? undefined
  }

  /** Sets an account; one without lamports is gone. */
  setAccount({ pubkey, lamports, owner, executable, rentEpoch, data }: AccountState): void {
    const account = new this.#module.Account(lamports, data, owner, executable, rentEpoch)
    this.#machine.setAccount(pubkey, account)
  }

  /** Sets accounts again that were written in this order. */
  setAccounts(accounts: readonly AccountState[]): void {
    // A program is loaded when it is set, and its code may stand in an account that was written after it.
    for (const account of accounts) if (!account.executable) this.setAccount(account)
    for (const account of accounts) if (account.executable) this.setAccount(account)
  }

  /** Begins a slot: programs see its number and time, and a nonce may be advanced anew. */
  beginSlot(slot: bigint, epoch: bigint, unixTimestamp: bigint): void {
    const before = this.#machine.getClock()
    const epochStart = before.epoch === epoch ? before.epochStartTimestamp : unixTimestamp
    this.#machine.setClock(new this.#module.Clock(slot, epochStart, epoch, epoch + 1n, unixTimestamp))
    this.#machine.expireBlockhash()
  }

  /** Executes a transaction, whose bytes must have passed the parser: the engine does not survive malformed ones. */
  execute(transaction: Uint8Array): EngineOutcome {
    const result = this.#machine.sendVersionedTransaction(transaction)
    return 'err' in result
      ? { meta: result.meta(), failure: result.err() }
      : { meta: result, failure: undefined }
  }

  /** Tries a transaction out, whose bytes must have passed the parser and whose signatures do not count; nothing changes. */
  simulate(transaction: Uint8Array): EngineTrial {
    this.#machine.setSigverify(false)
    try {
      const result = this.#machine.simulateVersionedTransaction(transaction)
      const meta = result.meta()
      if ('err' in result) return { meta, failure: result.err(), account: (pubkey) => this.account(pubkey) }
      return {
        meta,
        failure: undefined,
        account: (pubkey) =>
          result
            .postAccounts()
            .find(({ address }) => Buffer.compare(address, pubkey) === 0)
            ?.account() ?? this.account(pubkey),
      }
    } finally {
      this.#machine.setSigverify(true)
    }
  }

  minimumBalance(dataBytes: bigint): bigint {
    return this.#machine.minimumBalanceForRentExemption(dataBytes)
  }
}

/** Reads the state of an account. */
export function stateOf(pubkey: Uint8Array, account: EngineAccount): AccountState {
  return {
    pubkey,
    lamports: account.lamports(),
    owner: account.owner(),
    executable: account.executable(),
    rentEpoch: account.rentEpoch(),
    data: account.data(),
  }
}

async function loadEngine(): Promise<EngineModule> {
  try {
    const { default: module } = await import('litesvm/dist/internal.js')
    return module
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`
    throw new EngineUnavailable(
      `The Solana engine (litesvm) is not installed for ${platform}; it is published for Linux and macOS on x64 and arm64. Install again with optional dependencies, or run without this chain.`,
      { cause },
    )
  }
}
