import { beginCell, TupleReader, type Address, type Cell, type TupleItem } from '@ton/core'
import type { AccountState } from '../chain/account-state.ts'
import type { MessageExecutor } from '../chain/message-executor.ts'

/** The result of `get_jetton_data` of TEP-74. */
export interface MasterData {
  readonly totalSupply: bigint
  readonly mintable: boolean
  readonly admin: Address | null
  readonly content: Cell
  readonly walletCode: Cell
}

/** The result of `get_wallet_data` of TEP-74. */
export interface WalletData {
  readonly balance: bigint
  readonly owner: Address
  readonly master: Address
}

/** Exit code for a get method that a contract does not have. */
const noSuchMethod = 11
const maxCodes = 1_000

/** Reads accounts by the get methods of TEP-74; an account with any other result is neither a master nor a wallet. */
export class ContractReader {
  readonly #executor: MessageExecutor
  // Most accounts share few codes, and a code never gains a method.
  readonly #unsupported = new Set<string>()

  constructor(executor: MessageExecutor) {
    this.#executor = executor
  }

  /** @param now Unix seconds. */
  masterData(address: Address, state: AccountState, now: number): Promise<MasterData | undefined> {
    return this.#call(address, state, now, 'get_jetton_data', [], (stack) => ({
      totalSupply: stack.readBigNumber(),
      mintable: stack.readBoolean(),
      admin: stack.readAddressOpt(),
      content: stack.readCell(),
      walletCode: stack.readCell(),
    }))
  }

  /** @param now Unix seconds. */
  walletData(address: Address, state: AccountState, now: number): Promise<WalletData | undefined> {
    return this.#call(address, state, now, 'get_wallet_data', [], (stack) => ({
      balance: stack.readBigNumber(),
      owner: stack.readAddress(),
      master: stack.readAddress(),
    }))
  }

  /**
   * Calls the master's get method for the wallet of an owner.
   *
   * @param now Unix seconds.
   */
  walletAddress(
    master: Address,
    state: AccountState,
    now: number,
    owner: Address,
  ): Promise<Address | undefined> {
    const slice: TupleItem = { type: 'slice', cell: beginCell().storeAddress(owner).endCell() }
    return this.#call(master, state, now, 'get_wallet_address', [slice], (stack) => stack.readAddress())
  }

  async #call<result>(
    address: Address,
    state: AccountState,
    now: number,
    method: string,
    stack: readonly TupleItem[],
    read: (stack: TupleReader) => result,
  ): Promise<result | undefined> {
    const { status, codeHash } = state.summary
    if (status !== 'active') return undefined
    const key = `${method} ${codeHash?.toString('latin1')}`
    if (this.#unsupported.has(key)) return undefined
    try {
      const { machineConfig } = this.#executor
      const outcome = await this.#executor.runGetMethod(address, state, method, stack, now, machineConfig)
      if (outcome.exitCode === noSuchMethod) this.#addUnsupported(key)
      if (outcome.exitCode > 1 || outcome.exitCode < 0) return undefined
      return read(new TupleReader([...outcome.stack]))
    } catch {
      // Any account may deploy any contract: one with an unreadable result is not of this kind.
      return undefined
    }
  }

  #addUnsupported(key: string): void {
    if (this.#unsupported.size === maxCodes) this.#unsupported.clear()
    this.#unsupported.add(key)
  }
}
