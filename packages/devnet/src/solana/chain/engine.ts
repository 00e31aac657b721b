import type {
  Account,
  Clock,
  FailedTransactionMetadata,
  LiteSvm,
  TransactionMetadata,
} from 'litesvm/dist/internal.js'

/** The engine is not installed for this platform; the message names the next step. */
export class EngineUnavailable extends Error {
  override readonly name = 'EngineUnavailable'
}

/** State of an account in the format of the engine; each call of `data()` copies its data. */
export type EngineAccount = Account

/** The result of an execution. */
export interface EngineOutcome {
  readonly meta: TransactionMetadata
  /** The error in the engine's format. */
  readonly failure: ReturnType<FailedTransactionMetadata['err']> | undefined
}

/** The result of a simulation. */
export interface EngineTrial extends EngineOutcome {
  /** State of an account after the simulation. */
  account(pubkey: Uint8Array): EngineAccount | undefined
}

/** The state of an account after a write. */
export interface AccountState {
  readonly pubkey: Uint8Array
  readonly lamports: bigint
  readonly owner: Uint8Array
  readonly executable: boolean
  readonly rentEpoch: bigint
  readonly data: Uint8Array
}

// The package's main module requires its own address and transaction classes; this module accepts bytes.
interface EngineModule {
  readonly Account: typeof Account
  readonly Clock: typeof Clock
  readonly LiteSvm: typeof LiteSvm
}

// After this number of slots the sequence of its hashes repeats.
const maxSkippedHashes = 10_000n

/** The virtual machine of Solana with its accounts. It does not store slots, blockhashes or history. */
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
   * @param accounts Initial accounts, in addition to the built-in ones.
   * @param slot The latest slot.
   * @throws {@link EngineUnavailable}
   */
  static async start(accounts: readonly AccountState[] = [], slot = 0n): Promise<Engine> {
    const module = await loadEngine()
    const machine = new module.LiteSvm()
    // The blockhash check would accept only the engine's latest hash. The transaction history would reject a repeated
    // transaction as long as the history contains it.
    machine.setBlockhashCheck(false)
    machine.setTransactionHistory(0n)
    // Nonces are derived from the hashes of the engine, which have the same order in each instance: a nonce must not
    // meet the hash that it was derived from.
    for (let hash = 0n; hash < slot % maxSkippedHashes; hash++) machine.expireBlockhash()
    const engine = new Engine(module, machine)
    engine.setAccounts(accounts)
    return engine
  }

  account(pubkey: Uint8Array): EngineAccount | undefined {
    return this.#machine.getAccount(pubkey) ?? undefined
  }

  /** Sets an account; one without lamports is deleted. */
  setAccount({ pubkey, lamports, owner, executable, rentEpoch, data }: AccountState): void {
    const account = new this.#module.Account(lamports, data, owner, executable, rentEpoch)
    this.#machine.setAccount(pubkey, account)
  }

  /** Restores accounts that were written in this order. */
  setAccounts(accounts: readonly AccountState[]): void {
    // A program is loaded when it is set, and its code may be in an account that was written later.
    for (const account of accounts) if (!account.executable) this.setAccount(account)
    for (const account of accounts) if (account.executable) this.setAccount(account)
  }

  /** Begins a slot: programs can read its number and time, and a nonce may be advanced again. */
  beginSlot(slot: bigint, epoch: bigint, unixTimestamp: bigint): void {
    const before = this.#machine.getClock()
    const epochStart = before.epoch === epoch ? before.epochStartTimestamp : unixTimestamp
    this.#machine.setClock(new this.#module.Clock(slot, epochStart, epoch, epoch + 1n, unixTimestamp))
    this.#machine.expireBlockhash()
  }

  /** Executes a transaction. Its bytes must have passed the parser, because malformed bytes crash the engine. */
  execute(transaction: Uint8Array): EngineOutcome {
    const result = this.#machine.sendVersionedTransaction(transaction)
    return 'err' in result
      ? { meta: result.meta(), failure: result.err() }
      : { meta: result, failure: undefined }
  }

  /**
   * Simulates a transaction without changes. Its bytes must have passed the parser; its signatures are not verified.
   */
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

/** Returns the state of an account. */
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
