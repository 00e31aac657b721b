import { setImmediate } from 'node:timers/promises'
import {
  beginCell,
  Cell,
  Dictionary,
  getMethodId,
  loadMessage,
  loadTransaction,
  parseTuple,
  storeMessage,
  type Address,
  type Message,
  type Transaction,
  type TupleItem,
} from '@ton/core'
import { defaultConfig, type ExecutorEmulationResult, type ExecutorRunTransactionArgs } from '@ton/sandbox'
import { AccountState } from './account-state.ts'
import { readTrustedBoc } from './cells/read-trusted-boc.ts'
import { Engine, EngineBroken } from './engine.ts'
import { MessageRefused, type GetMethodOutcome } from './jetton-chain.ts'

// Without this limit, two contracts that send messages to each other could fill the chain.
const maxTransactions = 2_000
const getMethodGas = 10_000_000n

/** An executed transaction that is not stored yet. */
export interface Execution {
  /** Raw address. */
  readonly account: string
  readonly transaction: Transaction
  /** The transaction as a bag of cells. */
  readonly boc: Buffer
  readonly hash: Buffer
  /** Hash of the message that it received. */
  readonly messageHash: Buffer
  readonly before: AccountState
  readonly after: AccountState
  /** Position of the transaction whose message it received; undefined for the first one. */
  readonly parent: number | undefined
}

/** The time and random seed of an execution. */
export interface ChainTime {
  /** Unix seconds. */
  readonly now: number
  /** Logical time of the first transaction. */
  readonly lt: bigint
  /** 32 bytes. */
  readonly randomSeed: Buffer
  stateOf(account: string): AccountState
}

/** Executes messages and get methods by the transaction executor of the TON node, without storing the results. */
export class MessageExecutor {
  /** Configuration of the network, as the dictionary in a key block. */
  readonly config: Cell = readTrustedBoc(Buffer.from(defaultConfig, 'base64'))
  /** Global id of the network of that configuration. */
  readonly globalId: number
  /**
   * The few parameters that the virtual machine itself needs; a get method runs several times as fast with them alone.
   */
  readonly machineConfig: string
  readonly #engine: Engine

  private constructor(engine: Engine) {
    this.#engine = engine
    this.globalId = readGlobalId(this.config)
    this.machineConfig = reduceToMachine(this.config)
  }

  static async create(): Promise<MessageExecutor> {
    return new MessageExecutor(await Engine.create())
  }

  /**
   * Executes an external message and all resulting messages.
   *
   * @returns The transactions in their order; at least one.
   * @throws {@link MessageRefused}
   */
  async execute(message: Cell, time: ChainTime, ignoreSignature = false): Promise<Execution[]> {
    const waiting: Delivery[] = [{ message, destination: requireDestination(message), parent: undefined }]
    const executions: Execution[] = []
    const changed = new Map<string, AccountState>()
    let { lt } = time
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (executions.length === maxTransactions) {
        throw new MessageRefused(`the message leads to more than ${maxTransactions} transactions`)
      }
      const account = next.destination.toRawString()
      const before = changed.get(account) ?? time.stateOf(account)
      const { result } = await this.#runTransaction({
        config: defaultConfig,
        libs: null,
        verbosity: 'short',
        shardAccount: before.boc,
        message: next.message,
        now: time.now,
        lt,
        randomSeed: time.randomSeed,
        ignoreChksig: ignoreSignature,
        debugEnabled: false,
      })
      if (!result.success) throw new MessageRefused(result.error, result.vmResults?.vmExitCode)
      const after = new AccountState(result.shardAccount)
      changed.set(account, after)
      const boc = Buffer.from(result.transaction, 'base64')
      const cell = readTrustedBoc(boc)
      const transaction = loadTransaction(cell.beginParse())
      waiting.push(...deliveriesOf(cell, transaction, executions.length))
      executions.push({
        account,
        transaction,
        boc,
        hash: cell.hash(),
        messageHash: next.message.hash(),
        before,
        after,
        parent: next.parent,
      })
      lt = transaction.lt + BigInt(transaction.outMessagesCount) + 1n
      // Read requests run between the messages of a long chain.
      await setImmediate()
    }
    return executions
  }

  /**
   * Runs a get method on a state.
   *
   * @param now Unix seconds.
   * @param config Configuration that the contract can read, as a bag of cells in base64.
   * @returns The result; on an account without code, exit code -256, as on a TON node.
   * @throws Error when the engine cannot run the method
   */
  async runGetMethod(
    address: Address,
    state: AccountState,
    method: string | number,
    stack: readonly TupleItem[],
    now: number,
    config: string = defaultConfig,
  ): Promise<GetMethodOutcome> {
    const { account } = state.load()
    if (account?.storage.state.type !== 'active') return { exitCode: -256, gasUsed: 0n, stack: [] }
    const { code, data } = account.storage.state.state
    const { output } = await this.#engine.run((executor) =>
      executor.runGetMethod({
        code: code ?? Cell.EMPTY,
        data: data ?? Cell.EMPTY,
        balance: account.storage.balance.coins,
        methodId: typeof method === 'string' ? getMethodId(method) : method,
        stack: [...stack],
        config,
        verbosity: 'short',
        address,
        unixTime: now,
        randomSeed: Buffer.alloc(32),
        gasLimit: getMethodGas,
        debugEnabled: false,
      }),
    )
    if (!output.success) throw new Error(output.error)
    return {
      exitCode: output.vm_exit_code,
      gasUsed: BigInt(output.gas_used),
      stack: parseTuple(readTrustedBoc(Buffer.from(output.stack, 'base64'))),
    }
  }

  async #runTransaction(task: ExecutorRunTransactionArgs): Promise<ExecutorEmulationResult> {
    try {
      return await this.#engine.run((executor) => executor.runTransaction(task))
    } catch (error) {
      throw error instanceof EngineBroken ? new MessageRefused(error.message) : error
    }
  }
}

/** Serializes a message to a cell. */
export function writeMessage(message: Message): Cell {
  return beginCell().store(storeMessage(message)).endCell()
}

const globalIdParameter = 19

function readGlobalId(config: Cell): number {
  return readParameters(config).get(globalIdParameter)?.beginParse().loadInt(32) ?? 0
}

// Version of the virtual machine, prices of storage, gas and messages, and limits: the parameters that affect execution
// without an explicit read by the code.
const machineParameters = [8, 18, 20, 21, 24, 25, 43]

function reduceToMachine(config: Cell): string {
  const parameters = readParameters(config)
  for (const id of parameters.keys()) {
    if (!machineParameters.includes(id)) parameters.delete(id)
  }
  return beginCell().storeDictDirect(parameters).endCell().toBoc().toString('base64')
}

function readParameters(config: Cell): Dictionary<number, Cell> {
  return Dictionary.loadDirect(Dictionary.Keys.Int(32), Dictionary.Values.Cell(), config)
}

interface Delivery {
  readonly message: Cell
  readonly destination: Address
  readonly parent: number | undefined
}

function requireDestination(message: Cell): Address {
  const { info } = readMessage(message)
  if (info.type !== 'external-in') throw new MessageRefused('the message does not come from outside')
  return info.dest
}

function readMessage(message: Cell): Message {
  try {
    return loadMessage(message.beginParse())
  } catch {
    throw new MessageRefused('the cell is no message')
  }
}

// The original cells of the messages are used: serialized again, they could have another hash.
function deliveriesOf(cell: Cell, transaction: Transaction, parent: number): Delivery[] {
  const messages = cell.refs[0]?.beginParse()
  messages?.loadMaybeRef()
  const cells = messages?.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())
  return transaction.outMessages.keys().flatMap((key) => {
    const info = transaction.outMessages.get(key)?.info
    const message = cells?.get(key)
    if (info?.type !== 'internal' || message === undefined) return []
    return [{ message, destination: info.dest, parent }]
  })
}
