import {
  Cell,
  type Address,
  type Message,
  type ShardAccount,
  type Transaction,
  type TupleItem,
} from '@ton/core'
import type { BlockProducer, ChainState, Commit } from './block-producer.ts'
import { faucetAccount, sendCoins } from './faucet.ts'
import type {
  AccountSummary,
  Block,
  BlockId,
  ChainTransaction,
  GetMethodOutcome,
  JettonChain,
  JettonExample,
  JettonIndex,
  SentMessage,
  Trace,
} from './jetton-chain.ts'
import { writeMessage, type MessageExecutor } from './message-executor.ts'

/** The components of the chain. */
export interface ChainParts {
  readonly executor: MessageExecutor
  readonly state: ChainState
  readonly producer: BlockProducer
  readonly example: JettonExample
  /** The journal of all changes. */
  readonly journal: ChainJournal
  /** Seconds between two blocks without messages; 0 disables such blocks. */
  readonly secondsPerBlock: number
  /** Called when the journal can no longer be written. */
  readonly onLost: ((error: unknown) => void) | undefined
}

/** Stores the changes of the chain. */
export interface ChainJournal {
  /** Resolves when the step is on disk and survives the end of the process. */
  append(commit: Commit): Promise<void>
  close(): Promise<void>
}

/** The chain behind the two HTTP APIs. */
export class EmbeddedJettonChain implements JettonChain {
  readonly example: JettonExample
  readonly globalId: number
  readonly #parts: ChainParts
  readonly #queue = new SerialQueue()
  readonly #schedule: NodeJS.Timeout | undefined
  #stopped: Promise<void> | undefined

  constructor(parts: ChainParts) {
    this.#parts = parts
    this.example = parts.example
    this.globalId = parts.executor.globalId
    const { secondsPerBlock } = parts
    if (secondsPerBlock > 0) {
      this.#schedule = setTimeout(() => {
        // The failure has been reported already.
        this.#makeEmptyBlock().catch(() => undefined)
      }, secondsPerBlock * 1_000).unref()
    }
  }

  get head(): Block {
    return this.#parts.state.ledger.head.masterchain
  }

  get oldest(): Block {
    return this.#parts.state.ledger.oldest
  }

  get genesis(): Block {
    return this.#parts.state.ledger.genesis
  }

  get config(): Cell {
    return this.#parts.executor.config
  }

  get index(): JettonIndex {
    return this.#parts.state.indexer
  }

  get transactions(): readonly ChainTransaction[] {
    return this.#parts.state.ledger.transactions
  }

  block(id: BlockId): Block | undefined {
    return this.#parts.state.ledger.block(id)
  }

  blocks(workchain: number): readonly Block[] {
    return this.#parts.state.ledger.blocks(workchain)
  }

  transaction(hash: Buffer): ChainTransaction | undefined {
    return this.#parts.state.ledger.transaction(hash)
  }

  transactionsOf(account: Address): readonly ChainTransaction[] {
    return this.#parts.state.ledger.transactionsOf(account.toRawString())
  }

  transactionByMessage(hash: Buffer): ChainTransaction | undefined {
    return this.#parts.state.ledger.transactionByMessage(hash)
  }

  trace(id: Buffer): Trace | undefined {
    return this.#parts.state.ledger.trace(id)
  }

  accounts(): Iterable<string> {
    return this.#parts.state.accounts.names()
  }

  async account(address: Address): Promise<ShardAccount> {
    return this.#parts.state.accounts.state(address.toRawString()).load()
  }

  async summary(address: Address): Promise<AccountSummary> {
    return this.#parts.state.accounts.state(address.toRawString()).summary
  }

  runGetMethod(
    address: Address,
    method: string | number,
    stack: readonly TupleItem[],
  ): Promise<GetMethodOutcome> {
    const { executor, state, producer } = this.#parts
    return executor.runGetMethod(
      address,
      state.accounts.state(address.toRawString()),
      method,
      stack,
      producer.now(),
    )
  }

  async send(message: Message | Cell): Promise<SentMessage> {
    const trace = await this.#execute(() => cellOf(message))
    return { hash: trace.externalHash, hashNorm: trace.externalHashNorm, trace }
  }

  async emulate(
    message: Message | Cell,
    options: { readonly ignoreSignature?: boolean } = {},
  ): Promise<readonly Transaction[]> {
    // Between two blocks, so that all transactions see the same accounts.
    const executions = await this.#queue.run(() =>
      this.#parts.producer.emulate(cellOf(message), options.ignoreSignature),
    )
    return executions.map(({ transaction }) => transaction)
  }

  fund(address: Address, amount: bigint): Promise<Trace> {
    const { state, producer } = this.#parts
    return this.#execute(() =>
      writeMessage(sendCoins(state.accounts.state(faucetAccount), producer.now(), address, amount)),
    )
  }

  stop(): Promise<void> {
    clearTimeout(this.#schedule)
    return (this.#stopped ??= this.#queue.run(() => this.#parts.journal.close()))
  }

  // The queue does not wait for the disk: meanwhile the next message runs, and one write may include several messages.
  async #execute(messageOf: () => Cell): Promise<Trace> {
    if (this.#stopped !== undefined) throw new Error('the chain has been stopped')
    const { producer } = this.#parts
    const { trace, persisted } = await this.#queue.run(async () => {
      const commit = await producer.execute(messageOf())
      this.#schedule?.refresh()
      return { trace: commit.trace, persisted: this.#persist(commit) }
    })
    await persisted
    return trace
  }

  async #makeEmptyBlock(): Promise<void> {
    await this.#queue.run(async () => this.#persist(await this.#parts.producer.makeEmptyBlock()))
    this.#schedule?.refresh()
  }

  async #persist(commit: Commit): Promise<void> {
    try {
      await this.#parts.journal.append(commit)
    } catch (error) {
      this.#parts.onLost?.(error)
      throw error
    }
  }
}

function cellOf(message: Message | Cell): Cell {
  return message instanceof Cell ? message : writeMessage(message)
}

/** Runs one piece of work at a time, in the order of the calls. */
class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<result>(work: () => Promise<result>): Promise<result> {
    const outcome = this.#last.then(work)
    this.#last = outcome.catch(() => undefined)
    return outcome
  }
}
