import type { Action } from '../actions/action.ts'
import { writeRawAddress } from '../../cells/address.ts'
import { writeHash } from '../../cells/hash.ts'
import type { ChainTransaction } from '../../../chain/jetton-chain.ts'
import { transactionRow } from './transaction-row.ts'

/** The optional parts of a formatted action. */
export interface ActionParts {
  readonly withAccounts: boolean
  readonly withTransactions: boolean
}

/** Formats an action. */
export function actionRow(action: Action, { withAccounts, withTransactions }: ActionParts) {
  const { trace, transactions } = action
  const last = trace.transactions.at(-1) as ChainTransaction
  return {
    trace_id: writeHash(trace.id),
    action_id: action.id,
    start_lt: String(action.startLt),
    end_lt: String(action.endLt),
    start_utime: action.startUtime,
    end_utime: action.endUtime,
    trace_end_lt: String(last.lt),
    trace_end_utime: last.now,
    trace_mc_seqno_end: last.masterSeqno,
    transactions: transactions.map(({ hash }) => writeHash(hash)),
    success: action.success,
    type: action.type,
    details: action.details,
    trace_external_hash: writeHash(trace.externalHash),
    trace_external_hash_norm: writeHash(trace.externalHashNorm),
    ...(withAccounts && { accounts: [...action.accounts].map(writeRawAddress) }),
    ...(withTransactions && { transactions_full: transactions.map(transactionRow) }),
    finality: 'finalized',
  }
}
