import { toRpcError } from '../response/rpc-errors.ts'
import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { ClientCall } from '../client-call.ts'
import {
  type BlockRange,
  type Filter,
  hasRange,
  hex,
  numbersOf,
  rangeOf,
} from '../consistency/ranges/block-range.ts'
import { gatherChunks } from '../consistency/ranges/gather-chunks.ts'
import { isTooWide, narrower } from '../consistency/ranges/range-limit-error.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import { errorIn, type RpcResponse } from '../response/rpc-response.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { Upstream } from '../upstream/types.ts'
import type { Adapter, ChunkContext } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/**
 * Limits the block range of a log query to the gateway's maximum. The error for a longer range contains a range that is
 * allowed. A range within the limit that is too wide for the upstream is requested in chunks.
 */
export const ethGetLogs: Adapter = {
  transformParams: (call, params, upstream) => withinRange(call, params, upstream),
  gather: async (call, params, context) => {
    const [filter] = params
    if (!isRecord(filter) || !hasRange(filter)) return undefined
    const { upstreamLogRange } = context
    if (upstreamLogRange === 0) return gatherWhenTooWide(filter, call, context)
    const range = await rangeOf(filter, context.upstream, call.signal)
    return range && range.to - range.from >= upstreamLogRange
      ? gather(filter, range, upstreamLogRange, context)
      : gatherWhenTooWide(filter, call, context)
  },
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
    const found = await gatherWhenTooWide(filter, call, {
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

/** Sends the full query, and sends it in chunks when the upstream rejects it as too large. */
async function gatherWhenTooWide(
  filter: Filter,
  { signal }: ClientCall,
  context: ChunkContext,
): Promise<RpcResponse | UpstreamResponse> {
  const response = await context.sendFull().catch((error: unknown) => {
    // Some upstreams report it with an HTTP status.
    if (error instanceof UpstreamError && error.httpStatus === 413) return undefined
    throw error
  })
  const error = (response && errorIn(response)) ?? {}
  if (response && !isTooWide(error)) return response
  const range = await rangeOf(filter, context.upstream, signal)
  // resend: wide log query
  if (!range || range.from === range.to) return response ?? context.sendFull()
  const { blocks } = narrower(error, range.from, range.to - range.from + 1)
  return gather(filter, range, blocks, context)
}

function gather(filter: Filter, range: BlockRange, maxBlocks: number, context: ChunkContext) {
  const send = ({ from, to }: BlockRange) =>
    context.sendChunk([{ ...filterFields(filter), fromBlock: hex(from), toBlock: hex(to) }], to)
  return gatherChunks(range, { send, maxBlocks, reservation: context.reservation })
}

function filterFields({ fromBlock, toBlock, blockHash, address, topics }: Filter): Filter {
  return { fromBlock, toBlock, blockHash, address, topics }
}
