import { isRecord } from '@fairlead/gateway-core/json'
import { ResultPage } from '../consistency/ranges/result-page.ts'
import { isValidRangeQuery } from '../methods/range-query.ts'
import type { Adapter } from './adapter.ts'
import { sendInChunks } from './chunked-query.ts'

/** Sends a query over a range that is too large for the upstream in chunks. `after` and `count` apply to all of them. */
export const traceFilter: Adapter = {
  gather: async (call, params, context) => {
    const [filter] = params
    // Upstreams begin at different blocks when the first one is omitted.
    if (!isRecord(filter) || filter['fromBlock'] === undefined) return undefined
    if (!isValidRangeQuery(call.method, params)) return undefined
    const { after = 0, count = Infinity } = filter
    const isPaged = after !== 0 || count !== Infinity
    const page = isPaged ? new ResultPage(Number(after), Number(count)) : undefined
    return sendInChunks(filter, call, context, { maxBlocks: Infinity, elements: 'traces', page })
  },
}
