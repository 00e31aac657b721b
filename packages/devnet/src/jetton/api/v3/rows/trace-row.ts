import { classifyTrace } from '../actions/classify.ts'
import { writeHash } from '../../cells/hash.ts'
import type { ChainTransaction, JettonIndex, Trace } from '../../../chain/jetton-chain.ts'
import { writeRows } from '../../write-rows.ts'
import { messagesOf } from '../messages/chain-message.ts'
import { actionRow } from './action-row.ts'
import { transactionRow } from './transaction-row.ts'

/** One transaction of a trace with its child transactions. */
export interface TraceNode {
  readonly tx_hash: string
  readonly in_msg_hash: string | undefined
  readonly children: readonly TraceNode[]
}

/** Formats a trace: as a tree, and in addition its transactions by their hashes. */
export async function traceRow(index: JettonIndex, trace: Trace, includeActions: boolean) {
  const first = trace.transactions[0] as ChainTransaction
  const last = trace.transactions.at(-1) as ChainTransaction
  const rows = await writeRows(trace.transactions, transactionRow)
  const messageHashes = new Map(rows.map((row) => [row.hash, row.in_msg?.hash]))
  const nodeOf = (transaction: ChainTransaction): TraceNode => {
    const tx_hash = writeHash(transaction.hash)
    return {
      tx_hash,
      in_msg_hash: messageHashes.get(tx_hash),
      children: transaction.children.map(nodeOf),
    }
  }
  const parts = { withAccounts: false, withTransactions: false }
  return {
    trace_id: writeHash(trace.id),
    external_hash: writeHash(trace.externalHash),
    mc_seqno_start: String(first.masterSeqno),
    mc_seqno_end: String(last.masterSeqno),
    start_lt: String(first.lt),
    start_utime: first.now,
    end_lt: String(last.lt),
    end_utime: last.now,
    trace_info: {
      trace_state: 'complete',
      messages: trace.transactions.flatMap(messagesOf).length,
      transactions: trace.transactions.length,
      pending_messages: 0,
      classification_state: 'ok',
    },
    is_incomplete: false,
    ...(includeActions && { actions: classifyTrace(index, trace).map((action) => actionRow(action, parts)) }),
    trace: nodeOf(first),
    transactions_order: rows.map(({ hash }) => hash),
    transactions: Object.fromEntries(rows.map((row) => [row.hash, row])),
  }
}

/** A formatted trace. */
export type TraceRow = Awaited<ReturnType<typeof traceRow>>
