import type { Block, BlockId, ChainTransaction, Trace } from './jetton-chain.ts'
import { basechainId, masterchainId, type Step, type StepRecord } from './step.ts'

/** Limits of the stored history. */
export interface LedgerBounds {
  /** Maximum number of transactions; whole steps are removed, the oldest first. */
  readonly maxTransactions: number
  /** Maximum number of masterchain blocks; empty ones are removed, the oldest first. */
  readonly maxBlocks: number
}

/** Blocks, transactions and traces of the chain, with their lookup tables; its size is bounded. */
export class Ledger {
  readonly transactions: ChainTransaction[] = []
  readonly #bounds: LedgerBounds
  readonly #steps: Step[] = []
  readonly #blocks = new Map<number, Map<number, Block>>([
    [masterchainId, new Map()],
    [basechainId, new Map()],
  ])
  readonly #byHash = new Map<string, ChainTransaction>()
  readonly #byMessage = new Map<string, ChainTransaction>()
  readonly #byAccount = new Map<string, ChainTransaction[]>()
  readonly #traces = new Map<string, Trace>()
  #isWhole: boolean
  #lastSeqno = 0

  /**
   * @param isWhole Whether nothing was removed earlier.
   */
  constructor(bounds: LedgerBounds, isWhole = true) {
    this.#bounds = bounds
    this.#isWhole = isWhole
  }

  /** Whether all steps since genesis are stored. */
  get isWhole(): boolean {
    return this.#isWhole
  }

  /** All stored steps, oldest first; the first one is the genesis. */
  get steps(): readonly Step[] {
    return this.#steps
  }

  get genesis(): Block {
    return this.#stepAt(0).masterchain
  }

  get oldest(): Block {
    return this.#stepAt(this.#isWhole ? 0 : 1).masterchain
  }

  get head(): Step {
    return this.#stepAt(-1)
  }

  /** Logical time of the oldest stored transaction, or of the next one when there is none. */
  get oldestLt(): bigint {
    return this.transactions[0]?.lt ?? this.head.record.endLt
  }

  /** Number of the latest basechain block. */
  get lastSeqno(): number {
    return this.#lastSeqno
  }

  block({ workchain, seqno }: BlockId): Block | undefined {
    return this.#blocks.get(workchain)?.get(seqno)
  }

  blocks(workchain: number): readonly Block[] {
    return [...(this.#blocks.get(workchain)?.values() ?? [])]
  }

  transaction(hash: Buffer): ChainTransaction | undefined {
    return this.#byHash.get(keyOf(hash))
  }

  transactionsOf(account: string): readonly ChainTransaction[] {
    return this.#byAccount.get(account) ?? []
  }

  transactionByMessage(hash: Buffer): ChainTransaction | undefined {
    return this.#byMessage.get(keyOf(hash))
  }

  trace(id: Buffer): Trace | undefined {
    return this.#traces.get(keyOf(id))
  }

  /** Appends a step. */
  append(step: Step): void {
    this.#steps.push(step)
    this.#lastSeqno = step.basechain?.seqno ?? this.#lastSeqno
    for (const block of blocksOf(step)) this.#blocks.get(block.workchain)?.set(block.seqno, block)
    if (step.trace !== undefined) this.#addTrace(step.trace, step.record)
  }

  /**
   * Removes data beyond the limits.
   *
   * @returns Whether transactions were removed.
   */
  prune(): boolean {
    const { maxTransactions, maxBlocks } = this.#bounds
    const before = this.transactions.length
    while (this.transactions.length > maxTransactions && this.#drop(({ trace }) => trace !== undefined));
    while (this.#steps.length > maxBlocks && this.#drop(({ trace }) => trace === undefined));
    return this.transactions.length < before
  }

  #addTrace(trace: Trace, record: StepRecord): void {
    this.#traces.set(keyOf(trace.id), trace)
    trace.transactions.forEach((transaction, position) => {
      this.transactions.push(transaction)
      this.#byHash.set(keyOf(transaction.hash), transaction)
      for (const key of messageKeys(record, position)) this.#byMessage.set(key, transaction)
      const ofAccount = this.#byAccount.get(transaction.account)
      if (ofAccount === undefined) this.#byAccount.set(transaction.account, [transaction])
      else ofAccount.push(transaction)
    })
  }

  // Genesis and the latest step are never removed.
  #drop(isDroppable: (step: Step) => boolean): boolean {
    const position = this.#steps.findIndex((step, at) => at > 0 && isDroppable(step))
    if (position === -1 || position === this.#steps.length - 1) return false
    const [step] = this.#steps.splice(position, 1)
    if (step === undefined) return false
    this.#isWhole = false
    for (const block of blocksOf(step)) this.#blocks.get(block.workchain)?.delete(block.seqno)
    if (step.trace !== undefined) this.#removeTrace(step.trace, step.record)
    return true
  }

  #removeTrace(trace: Trace, record: StepRecord): void {
    this.#traces.delete(keyOf(trace.id))
    this.transactions.splice(0, trace.transactions.length)
    trace.transactions.forEach((transaction, position) => {
      this.#byHash.delete(keyOf(transaction.hash))
      for (const key of messageKeys(record, position)) {
        // A contract may receive the same message again.
        if (this.#byMessage.get(key) === transaction) this.#byMessage.delete(key)
      }
      const ofAccount = this.#byAccount.get(transaction.account)
      ofAccount?.shift()
      if (ofAccount?.length === 0) this.#byAccount.delete(transaction.account)
    })
  }

  #stepAt(position: number): Step {
    const step = this.#steps.at(position)
    if (step === undefined) throw new Error('the chain has no block yet')
    return step
  }
}

function blocksOf({ masterchain, basechain }: Step): readonly Block[] {
  return basechain === undefined ? [masterchain] : [masterchain, basechain]
}

// The external message can be found by both of its hashes.
function messageKeys({ external, transactions }: StepRecord, position: number): readonly string[] {
  const record = transactions[position]
  const hashes = [record?.messageHash, position === 0 ? external?.hashNorm : undefined]
  return hashes.flatMap((hash) => (hash === undefined ? [] : [keyOf(hash)]))
}

// The shortest string representation of a hash.
function keyOf(hash: Buffer): string {
  return hash.toString('latin1')
}
