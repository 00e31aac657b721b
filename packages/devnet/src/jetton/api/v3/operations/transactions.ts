import type { Address } from '@ton/core'
import { writeHash } from '../../cells/hash.ts'
import type { ChainTransaction, JettonChain } from '../../../chain/jetton-chain.ts'
import { addressBook } from '../directory/directory.ts'
import { writeRows } from '../../write-rows.ts'
import { Failure } from '../../failure.ts'
import type { ChainMessage } from '../messages/chain-message.ts'
import { messagesAt } from '../messages/find-messages.ts'
import { query, type Context } from '../operation.ts'
import { inOrder, isInside, pageOf, rowsOrNull, filterRows } from '../page.ts'
import {
  addresses,
  direction,
  hash,
  hashes,
  int32,
  lt,
  opcode,
  page,
  required,
  shard,
  sort,
  window,
} from '../parameters.ts'
import { transactionRow, type TransactionRow } from '../rows/transaction-row.ts'

const wholeWorkchain = 1n << 63n
const filters = {
  workchain: int32,
  shard,
  seqno: int32,
  mc_seqno: int32,
  account: addresses,
  exclude_account: addresses,
  hash,
  lt,
}

export const transactionOperations = [
  query('transactions', { ...filters, ...window, ...page, sort }, async (context, values) => {
    const { workchain, seqno, mc_seqno } = values
    const { chain } = context
    requireMasterBlock(chain, mc_seqno)
    const accounts = rawSet(values.account)
    const excluded = rawSet(values.exclude_account)
    const matches = (transaction: ChainTransaction) =>
      (workchain === undefined || transaction.block.workchain === workchain) &&
      (values.shard === undefined || values.shard === wholeWorkchain) &&
      (seqno === undefined || transaction.block.seqno === seqno) &&
      (mc_seqno === undefined || transaction.masterSeqno === mc_seqno) &&
      (accounts.size === 0 || accounts.has(transaction.account)) &&
      !excluded.has(transaction.account) &&
      (values.lt === undefined || transaction.lt === values.lt) &&
      isInside(values, transaction.now, transaction.lt)
    return transactionsAnswer(
      context,
      await pageOf(filterRows(inOrder(candidates(chain, values), values.sort), matches), values),
    )
  }),

  query('adjacentTransactions', { hash: required(hash), direction }, (context, values) => {
    const transaction = context.chain.transaction(values.hash)
    const causes = transaction?.parent === undefined ? [] : [transaction.parent]
    const adjacent = [
      ...(values.direction === 'out' ? [] : causes),
      ...(values.direction === 'in' ? [] : (transaction?.children ?? [])),
    ]
    if (adjacent.length === 0) throw new Failure(404, 'adjacent transactions not found')
    return transactionsAnswer(context, adjacent)
  }),

  query(
    'transactionsByMasterchainBlock',
    { seqno: required(int32), ...page, sort },
    async (context, { seqno, ...values }) => {
      requireMasterBlock(context.chain, seqno)
      const all = inOrder(context.chain.transactions, values.sort)
      const found = filterRows(all, ({ masterSeqno }) => masterSeqno === seqno)
      return transactionsAnswer(context, await pageOf(found, values))
    },
  ),

  query(
    'transactionsByMessage',
    { msg_hash: hashes, body_hash: hash, opcode, direction, ...page },
    async (context, values) => {
      const { msg_hash, body_hash } = values
      if (msg_hash.length === 0 && body_hash === undefined && values.opcode === undefined) {
        throw new Failure(422, 'at least one of msg_hash, body_hash, opcode should be specified')
      }
      const wanted = new Set(msg_hash.map(writeHash))
      const matches = (message: ChainMessage) =>
        (wanted.size === 0 || wanted.has(message.hash) || wanted.has(message.hashNorm ?? '')) &&
        (body_hash === undefined || message.bodyHash === writeHash(body_hash)) &&
        (values.opcode === undefined || message.opcode === values.opcode)
      const messages = messagesAt(context.chain, { hashes: msg_hash, withExternals: true }, 'desc')
      const found = new Set<ChainTransaction>()
      for await (const { sender, receiver } of filterRows(messages, matches)) {
        if (values.direction !== 'out' && receiver !== undefined) found.add(receiver)
        // The indexer searches for operation codes among incoming messages only.
        const includesOutgoing = values.direction !== 'in' && values.opcode === undefined
        if (includesOutgoing && sender !== undefined) found.add(sender)
      }
      const newestFirst = [...found].toSorted((left, right) => Number(right.lt - left.lt))
      return transactionsAnswer(context, await pageOf(newestFirst, values))
    },
  ),
]

/** Formats a list of transactions with its address book. */
export async function transactionsAnswer(context: Context, transactions: readonly ChainTransaction[]) {
  const rows = await writeRows(transactions, transactionRow)
  return {
    transactions: rowsOrNull(rows),
    address_book: await addressBook(context, rows.flatMap(addressesOf)),
  }
}

/** Returns the accounts that a transaction names. */
export function addressesOf({ account, in_msg, out_msgs }: TransactionRow): (string | null | undefined)[] {
  return [account, in_msg?.source, ...out_msgs.map(({ destination }) => destination)]
}

function candidates(
  chain: JettonChain,
  values: { readonly hash: Buffer | undefined; readonly account: readonly Address[] },
): readonly ChainTransaction[] {
  if (values.hash !== undefined) {
    const transaction = chain.transaction(values.hash)
    return transaction === undefined ? [] : [transaction]
  }
  const [account, ...others] = values.account
  return account !== undefined && others.length === 0 ? chain.transactionsOf(account) : chain.transactions
}

function requireMasterBlock(chain: JettonChain, seqno: number | undefined): void {
  if (seqno === undefined || chain.block({ workchain: -1, seqno }) !== undefined) return
  throw new Failure(404, `masterchain block ${seqno} not found`)
}

function rawSet(accounts: readonly Address[]): ReadonlySet<string> {
  return new Set(accounts.map((account) => account.toRawString()))
}
