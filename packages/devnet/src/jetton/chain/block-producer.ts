import { loadMessage, type Cell, type Transaction } from '@ton/core'
import type { Accounts } from './accounts.ts'
import { nextRandomSeed, nextStartLt, sealStep } from './block-sealing.ts'
import { contiguous } from './contiguous.ts'
import type { IndexChange } from '../jettons/index-change.ts'
import type { JettonIndexer } from '../jettons/jetton-indexer.ts'
import type { Ledger } from './ledger.ts'
import type { Execution, MessageExecutor } from './message-executor.ts'
import { normalizedHash } from './normalized-hash.ts'
import { connect, type Step, type StepRecord } from './step.ts'
import type { AccountState } from './account-state.ts'
import type { Trace } from './jetton-chain.ts'

/** A step of the chain and its changes. */
export interface Commit {
  readonly step: Step
  /** New states of accounts by their raw addresses, as bags of cells in base64; empty for a deleted account. */
  readonly accounts: ReadonlyMap<string, string>
  readonly index: IndexChange
}

/** The components of the chain state. */
export interface ChainState {
  readonly accounts: Accounts
  readonly ledger: Ledger
  readonly indexer: JettonIndexer
}

/** Produces the blocks of the chain; the caller ensures that it produces one at a time. */
export class BlockProducer {
  readonly #executor: MessageExecutor
  readonly #state: ChainState

  constructor(executor: MessageExecutor, state: ChainState) {
    this.#executor = executor
    this.#state = state
  }

  /** The time of the next block, in Unix seconds; it never decreases, even when the system clock is set back. */
  now(): number {
    const [latest] = this.#state.ledger.steps.slice(-1)
    return Math.max(latest?.record.genUtime ?? 0, Math.floor(Date.now() / 1_000))
  }

  /** Produces the genesis block. */
  async makeGenesis(accounts: ReadonlyMap<string, AccountState>): Promise<void> {
    await this.#commit(
      sealStep(undefined, 0, { genUtime: this.now(), external: undefined, executions: [] }),
      accounts,
    )
  }

  /** Produces a masterchain block without a shard block. */
  makeEmptyBlock(): Promise<Commit> {
    return this.#seal(this.now(), [], undefined)
  }

  /**
   * Executes an external message in a new block.
   *
   * @throws {@link MessageRefused} and leaves the chain unchanged.
   */
  async execute(message: Cell): Promise<Commit & { readonly trace: Trace }> {
    // A long trace may take more than a second, and all of it is executed in one block.
    const now = this.now()
    const executions = await this.#execute(message, now)
    const hashNorm = normalizedHash(loadMessage(message.beginParse()))
    const commit = await this.#seal(now, executions, { hash: message.hash(), hashNorm })
    const { trace } = commit.step
    if (trace === undefined) throw new Error('a message from outside led to no transaction')
    return { ...commit, trace }
  }

  /** Executes an external message without storing the result. */
  emulate(message: Cell, ignoreSignature = false): Promise<Execution[]> {
    return this.#execute(message, this.now(), ignoreSignature)
  }

  #execute(message: Cell, now: number, ignoreSignature = false): Promise<Execution[]> {
    const { head } = this.#state.ledger
    return this.#executor.execute(
      message,
      {
        now,
        lt: nextStartLt(head) + 1n,
        randomSeed: nextRandomSeed(head),
        stateOf: (account) => this.#state.accounts.state(account),
      },
      ignoreSignature,
    )
  }

  #seal(
    genUtime: number,
    executions: readonly Execution[],
    external: StepRecord['external'],
  ): Promise<Commit> {
    const { ledger } = this.#state
    const accounts = new Map(executions.map(({ account, after }) => [account, after]))
    const record = sealStep(ledger.head, ledger.lastSeqno, { genUtime, external, executions })
    return this.#commit(
      record,
      accounts,
      executions.map(({ transaction }) => transaction),
    )
  }

  async #commit(
    record: StepRecord,
    changed: ReadonlyMap<string, AccountState>,
    parsed: readonly Transaction[] = [],
  ): Promise<Commit> {
    const { accounts, ledger, indexer } = this.#state
    const step = connect(contiguous(record), parsed)
    const index = await indexer.read(step, (account) => changed.get(account) ?? accounts.state(account))
    // All changes from here on are synchronous, so that no reader sees an incomplete block.
    const bocs = new Map([...changed].map(([account, state]) => [account, storedBoc(state)]))
    for (const [account, boc] of bocs) accounts.set(account, boc, changed.get(account))
    ledger.append(step)
    indexer.apply(index)
    if (ledger.prune()) indexer.prune(ledger.oldestLt)
    return { step, accounts: bocs, index }
  }
}

function storedBoc({ boc, summary }: AccountState): string {
  return summary.status === 'nonexist' ? '' : boc
}
