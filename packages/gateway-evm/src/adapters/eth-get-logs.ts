import { toRpcError } from '../response/rpc-errors.ts'
import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { Call } from '../call.ts'
import type { ClientCall } from '../client-call.ts'
import { type Filter, hasRange, hex, numbersOf } from '../consistency/ranges/block-range.ts'
import { divideFilter } from '../consistency/ranges/log-lists.ts'
import { errorIn, type RpcResponse } from '../response/rpc-response.ts'
import { ownCall } from '../upstream/own-call.ts'
import type { Upstream } from '../upstream/types.ts'
import type { Adapter, ChunkContext } from './adapter.ts'
import { sendInChunks } from './chunked-query.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/**
 * Limits the block range of a log query to the gateway's maximum. The error for a longer range contains a range that is
 * allowed. A range within the limit that is too wide for the upstream is requested in chunks.
 */
export const ethGetLogs: Adapter = {
  transformParams: (call, params, upstream) => withinRange(call, params, upstream),
  gather: async (call, params, context) => {
    const [filter] = params
    return isRecord(filter) ? sendLogQuery(filter, call, context) : undefined
  },
}

function sendLogQuery(filter: Filter, call: Call, context: ChunkContext) {
  const maxBlocks = context.upstreamLogRange || Infinity
  return sendInChunks(filter, call, context, { maxBlocks, divideFilter, elements: 'logs' })
}

/**
 * Reads the logs of a filter. Requests them in chunks when the upstream rejects the query as too large.
 *
 * @throws {@link RpcError} the upstream's error
 */
export async function readLogs(
  call: ClientCall,
  params: readonly unknown[],
  upstream: Upstream,
): Promise<unknown> {
  const { signal } = call
  const [filter] = params
  if (!isRecord(filter) || !hasRange(filter)) return upstream.call('eth_getLogs', params, signal)
  const send = (forwarded: readonly unknown[]) =>
    upstream
      .call('eth_getLogs', forwarded, signal)
      .then((logs) => ({ result: JSON.stringify(logs) }), errorOf)
  const reservation = upstream.reserve(call.grant)
  try {
    const found = await sendLogQuery(filter, ownCall('eth_getLogs', params, signal), {
      upstream,
      reservation,
      upstreamLogRange: 0,
      sendFull: () => send(params),
      sendChunk: send,
    })
    if ('result' in found) return JSON.parse(found.result)
    const { code, message, data } = errorIn(found) as RpcError
    throw new RpcError(code, message, { data })
  } finally {
    reservation.release()
  }
}

function errorOf(error: unknown): RpcResponse {
  const failure = toRpcError(error)
  if (!failure) throw error
  const { code, message, data } = failure
  return { error: JSON.stringify({ code, message, data }) }
}

/**
 * Limits the range of a new filter to that of a query, because `eth_getFilterLogs` returns the logs of the full range.
 */
export const ethNewFilter: Adapter = {
  transformParams: (call, params, upstream) => withinRange(call, params, upstream),
}

/**
 * Checks how many blocks a log query spans.
 *
 * @param call - contains the limit, if there is one
 * @param params - the filter
 * @returns params with only the checked members of the filter, because upstreams interpret duplicate members and
 * members in another case differently; undefined without a limit
 * @throws {@link RpcError} -32602 with `data` of `max_range`, and with `from` and `to` of a range that is within the
 * limit
 */
export function withinRange(
  { signal, maxLogRange = 0 }: ClientCall,
  [filter]: readonly unknown[],
  upstream: Upstream,
): Promise<readonly unknown[]> | undefined {
  return maxLogRange > 0 && isRecord(filter) ? limited(filter, maxLogRange, upstream, signal) : undefined
}

async function limited(
  filter: Filter,
  maxRange: number,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<readonly unknown[]> {
  const { fromBlock, toBlock } = filter
  if ((fromBlock ?? 'latest') === (toBlock ?? 'latest')) return [filterFields(filter)]
  const { from, to } = await numbersOf(filter, upstream, signal)
  if (to - from >= maxRange) {
    throw new RpcError(rpcCodes.invalidParams, `The block range must have at most ${maxRange} blocks.`, {
      data: { max_range: maxRange, from: hex(from), to: hex(from + maxRange - 1) },
    })
  }
  return [filterFields(filter)]
}

function filterFields({ fromBlock, toBlock, blockHash, address, topics }: Filter): Filter {
  return { fromBlock, toBlock, blockHash, address, topics }
}
