import { setImmediate } from 'node:timers/promises'
import { writeHash } from '../../cells/hash.ts'
import type { ChainTransaction, JettonIndex, Trace } from '../../../chain/jetton-chain.ts'
import type { Action } from '../actions/action.ts'
import { classifyTrace, isClassified } from '../actions/classify.ts'
import { directory } from '../directory/directory.ts'
import { writeRows } from '../../write-rows.ts'
import { query } from '../operation.ts'
import { inOrder, isInside, pageOf, rowsOrNull, filterRows } from '../page.ts'
import { address, boolean, hashes, int32, names, page, sort, window, type Sort } from '../parameters.ts'
import { actionRow } from '../rows/action-row.ts'
import { tracesBy } from '../traces/find-traces.ts'

const filters = {
  account: address,
  tx_hash: hashes,
  msg_hash: hashes,
  action_id: hashes,
  trace_id: hashes,
  mc_seqno: int32,
  action_type: names,
  exclude_action_type: names,
  // All action types of this chain belong to the first version, which all callers support.
  supported_action_types: names,
  include_accounts: boolean,
  include_transactions: boolean,
}

export const actionOperations = [
  query('actions', { ...filters, ...window, ...page, sort }, async (context, values) => {
    const { chain } = context
    const kinds = new Set(values.action_type)
    const unwanted = new Set(values.exclude_action_type)
    const ids = new Set(values.action_id.map(writeHash))
    const transactions = new Set([
      ...values.tx_hash.map(writeHash),
      ...values.msg_hash.flatMap((hash) => {
        const receiver = chain.transactionByMessage(hash)
        return receiver === undefined ? [] : [writeHash(receiver.hash)]
      }),
    ])
    const areNamed = values.tx_hash.length > 0 || values.msg_hash.length > 0
    const account = values.account?.toRawString()
    const matches = (action: Action) =>
      (kinds.size === 0 || kinds.has(action.type)) &&
      !unwanted.has(action.type) &&
      (ids.size === 0 || ids.has(action.id)) &&
      (account === undefined || action.accounts.has(account)) &&
      (!areNamed || action.transactions.some(({ hash }) => transactions.has(writeHash(hash)))) &&
      (values.mc_seqno === undefined || endOf(action).masterSeqno === values.mc_seqno) &&
      isInside(values, endOf(action).now, endOf(action).lt)
    // An action can name an account without a transaction in the trace.
    const found = tracesBy(chain, { ...values, account: undefined }, values.sort)
    const rows = await pageOf(filterRows(actionsOf(chain.index, found, values.sort), matches), values)
    const parts = {
      withAccounts: values.include_accounts ?? false,
      withTransactions: values.include_transactions ?? false,
    }
    return {
      actions: rowsOrNull(await writeRows(rows, (action) => actionRow(action, parts))),
      ...(await directory(
        context,
        rows.flatMap((action) => [...action.accounts]),
      )),
    }
  }),
]

async function* actionsOf(index: JettonIndex, traces: Iterable<Trace>, order: Sort): AsyncGenerator<Action> {
  for (const trace of traces) {
    // Other requests run before a trace is read.
    if (!isClassified(trace)) await setImmediate()
    yield* inOrder(classifyTrace(index, trace), order)
  }
}

/** Returns the end of an action's trace, by which actions are ordered and bounded. */
function endOf({ trace }: Action): ChainTransaction {
  return trace.transactions.at(-1) as ChainTransaction
}
