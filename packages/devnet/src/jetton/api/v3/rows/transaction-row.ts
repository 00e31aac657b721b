import type { AccountStatus } from '@ton/core'
import { writeRawAddress } from '../../cells/address.ts'
import { writeHash } from '../../cells/hash.ts'
import { transactionMessages } from '../../cells/transaction-messages.ts'
import type { ChainTransaction } from '../../../chain/jetton-chain.ts'
import { accountStateRow } from './account-state-row.ts'
import { blockIdRow } from './block-row.ts'
import { extraCurrencies } from './currencies.ts'
import { messageRow } from './message-row.ts'
import { descriptionRow } from './transaction-description-row.ts'

/** Formats a transaction with its messages and the account states before and after it. */
export function transactionRow(transaction: ChainTransaction) {
  const parsed = transaction.parse()
  const { incoming, outgoing } = transactionMessages(parsed)
  const { trace } = transaction
  return {
    account: writeRawAddress(transaction.account),
    hash: writeHash(transaction.hash),
    lt: String(transaction.lt),
    now: transaction.now,
    mc_block_seqno: transaction.masterSeqno,
    trace_id: writeHash(trace.id),
    trace_external_hash: writeHash(trace.externalHash),
    prev_trans_hash: writeHash(parsed.prevTransactionHash),
    prev_trans_lt: String(parsed.prevTransactionLt),
    orig_status: statuses[parsed.oldStatus],
    end_status: statuses[parsed.endStatus],
    total_fees: String(parsed.totalFees.coins),
    total_fees_extra_currencies: extraCurrencies(parsed.totalFees),
    description: descriptionRow(parsed.description),
    block_ref: blockIdRow(transaction.block),
    in_msg: incoming === undefined ? null : incomingRow(messageRow(incoming), transaction),
    out_msgs: outgoing.map(messageRow),
    account_state_before: accountStateRow(transaction.before),
    account_state_after: accountStateRow(transaction.after),
    emulated: false,
    finality: 'finalized',
  }
}

/** A formatted transaction. */
export type TransactionRow = ReturnType<typeof transactionRow>

const statuses: Readonly<Record<AccountStatus, string>> = {
  uninitialized: 'uninit',
  active: 'active',
  frozen: 'frozen',
  'non-existing': 'nonexist',
}

function incomingRow(row: ReturnType<typeof messageRow>, { parent, trace }: ChainTransaction) {
  const isExternal = parent === undefined && row.source === null
  return isExternal ? { ...row, hash_norm: writeHash(trace.externalHashNorm) } : row
}
