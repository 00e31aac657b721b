import { directory } from '../directory/directory.ts'
import { query } from '../operation.ts'
import { isInside, pageOf, rowsOrNull, filterRows } from '../page.ts'
import { address, boolean, hashes, int32, names, page, sort, window } from '../parameters.ts'
import { requireOneFilter, tracesBy } from '../traces/find-traces.ts'
import { traceRow, type TraceRow } from '../rows/trace-row.ts'
import { addressesOf } from './transactions.ts'
import type { ChainTransaction } from '../../../chain/jetton-chain.ts'

const filters = { account: address, trace_id: hashes, tx_hash: hashes, msg_hash: hashes }

export const traceOperations = [
  query(
    'traces',
    {
      ...filters,
      mc_seqno: int32,
      include_actions: boolean,
      supported_action_types: names,
      ...window,
      ...page,
      sort,
    },
    async (context, values) => {
      requireOneFilter(values)
      const found = filterRows(tracesBy(context.chain, values, values.sort), (trace) => {
        const last = trace.transactions.at(-1) as ChainTransaction
        return (
          (values.mc_seqno === undefined || last.masterSeqno === values.mc_seqno) &&
          isInside(values, last.now, last.lt)
        )
      })
      const rows: TraceRow[] = []
      for (const trace of await pageOf(found, values)) {
        rows.push(await traceRow(context.chain.index, trace, values.include_actions ?? false))
      }
      return { traces: rowsOrNull(rows), ...(await directory(context, rows.flatMap(addressesOfTrace))) }
    },
  ),
]

function addressesOfTrace({ transactions }: TraceRow) {
  return Object.values(transactions).flatMap(addressesOf)
}
