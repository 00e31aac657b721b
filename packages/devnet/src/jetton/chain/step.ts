import { loadTransaction, type Transaction } from '@ton/core'
import { readTrustedBoc } from './cells/read-trusted-boc.ts'
import type { AccountSummary, Block, BlockId, ChainTransaction, Trace } from './jetton-chain.ts'
import { RecentlyUsed } from './recently-used.ts'

/** The stored data of a transaction. */
export interface TransactionRecord {
  readonly account: string
  readonly lt: bigint
  readonly hash: Buffer
  readonly messageHash: Buffer
  readonly before: AccountSummary
  readonly after: AccountSummary
  /** Position in the trace of the transaction that caused this one. */
  readonly parent: number | undefined
  readonly boc: Buffer
}

/** The stored data of a block. */
export interface BlockRecord {
  readonly seqno: number
  readonly rootHash: Buffer
  readonly fileHash: Buffer
}

/** One step of the chain: a masterchain block and, if there was a message, the basechain block that it refers to. */
export interface StepRecord {
  readonly genUtime: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly masterchain: BlockRecord
  readonly basechain: BlockRecord | undefined
  /** Hash and normalized hash of the external message. */
  readonly external: { readonly hash: Buffer; readonly hashNorm: Buffer } | undefined
  readonly transactions: readonly TransactionRecord[]
}

/** A step with references between its blocks, transactions and trace. */
export interface Step {
  readonly record: StepRecord
  readonly masterchain: Block
  readonly basechain: Block | undefined
  readonly trace: Trace | undefined
}

/** Workchain of the masterchain. */
export const masterchainId = -1
/** Workchain of the basechain. */
export const basechainId = 0

// Enough for a page of the maximum size.
const parsedTransactions = new RecentlyUsed<ChainTransaction, Transaction>(1_000)

/**
 * Creates the linked objects that the rest of the chain reads from the stored data of a step.
 *
 * @param record The stored data.
 * @param parsed Its transactions, if they are already parsed.
 */
export function connect(record: StepRecord, parsed: readonly Transaction[] = []): Step {
  const { genUtime, startLt, endLt, masterchain, basechain, external } = record
  const transactions: StepTransaction[] = []
  const [first] = record.transactions
  const trace =
    external === undefined || first === undefined
      ? undefined
      : { id: first.hash, externalHash: external.hash, externalHashNorm: external.hashNorm, transactions }
  if (trace !== undefined) {
    for (const [position, transactionRecord] of record.transactions.entries()) {
      const parent =
        transactionRecord.parent === undefined ? undefined : transactions[transactionRecord.parent]
      const transaction = new StepTransaction(transactionRecord, record, trace, parent)
      transactions.push(transaction)
      const known = parsed[position]
      if (known !== undefined) parsedTransactions.set(transaction, known)
    }
  }
  const blockOf = (workchain: number, { seqno, rootHash, fileHash }: BlockRecord): Block => ({
    workchain,
    seqno,
    rootHash,
    fileHash,
    genUtime,
    startLt,
    endLt,
    masterSeqno: masterchain.seqno,
    previous: seqno === 1 ? [] : [{ workchain, seqno: seqno - 1 }],
    transactions: transactions.filter(({ block }) => block.workchain === workchain),
  })
  return {
    record,
    masterchain: blockOf(masterchainId, masterchain),
    basechain: basechain === undefined ? undefined : blockOf(basechainId, basechain),
    trace,
  }
}

class StepTransaction implements ChainTransaction {
  readonly account: string
  readonly lt: bigint
  readonly hash: Buffer
  readonly now: number
  readonly block: BlockId
  readonly masterSeqno: number
  readonly before: AccountSummary
  readonly after: AccountSummary
  readonly trace: Trace
  readonly parent: StepTransaction | undefined
  readonly children: StepTransaction[] = []
  readonly boc: Buffer

  constructor(
    record: TransactionRecord,
    step: StepRecord,
    trace: Trace,
    parent: StepTransaction | undefined,
  ) {
    this.account = record.account
    this.lt = record.lt
    this.hash = record.hash
    this.now = step.genUtime
    this.masterSeqno = step.masterchain.seqno
    this.block = isMasterchain(record)
      ? { workchain: masterchainId, seqno: step.masterchain.seqno }
      : { workchain: basechainId, seqno: step.basechain?.seqno ?? 0 }
    this.before = record.before
    this.after = record.after
    this.trace = trace
    this.parent = parent
    this.boc = record.boc
    parent?.children.push(this)
  }

  parse(): Transaction {
    return parsedTransactions.get(this, () => loadTransaction(readTrustedBoc(this.boc).beginParse()))
  }
}

function isMasterchain({ account }: TransactionRecord): boolean {
  return account.startsWith('-1:')
}
