import type { Call } from '../call.ts'
import { type BlockRange, type Filter, hasRange, hex, rangeOf } from '../consistency/ranges/block-range.ts'
import {
  type Chunk,
  ChunkedQuery,
  type GatherOptions,
  outcomeOf,
} from '../consistency/ranges/gather-chunks.ts'
import type { ResultPage } from '../consistency/ranges/result-page.ts'
import { fieldsBesidesRange } from '../methods/range-query.ts'
import { classifyError } from '../response/classify-response.ts'
import type { ErrorObject } from '../response/rpc-errors.ts'
import type { RpcResponse } from '../response/rpc-response.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import type { ChunkContext } from './adapter.ts'

/** How a method is sent in chunks. */
export interface ChunkRules extends Pick<GatherOptions, 'divideFilter' | 'page' | 'elements'> {
  /** Maximum number of blocks in one request. */
  readonly maxBlocks: number
}

/**
 * Sends a query over a range of blocks. Sends it in chunks when the range exceeds a known limit, or the upstream rejects
 * it as too large.
 *
 * @param filter - the param of the call
 */
export async function sendInChunks(
  filter: Filter,
  call: Call,
  { upstream, reservation, sendFull, sendChunk }: ChunkContext,
  { maxBlocks, page, ...rules }: ChunkRules,
): Promise<RpcResponse | UpstreamResponse> {
  const { method, policy, signal } = call
  const known = () => Math.min(maxBlocks, upstream.rangeLimitOf?.(call) ?? Infinity)
  const isTooLarge = (error: ErrorObject) =>
    classifyError({ method, policy, params: [filter] }, error) === 'too large'
  const query = new ChunkedQuery({
    ...rules,
    page,
    reservation,
    maxBlocks: known,
    isTooLarge,
    onLimit: (blocks) => upstream.recordRangeLimit?.(method, blocks),
    send: (chunk) => sendChunk([filterOf(chunk, page)], chunk.range?.to),
  })
  const whole = (range: BlockRange | undefined) => ({ filter: fieldsBesidesRange(method, filter), range })
  const numbers = () => rangeOf(filter, upstream, signal)
  const range = known() < Infinity && hasRange(filter) ? await numbers() : undefined
  if (range && range.to - range.from >= known()) return query.read(whole(range))
  const { error, settle } = await outcomeOf(sendFull)
  if (!error || !isTooLarge(error)) return settle()
  const isByHash = filter['blockHash'] !== undefined
  const rejected = range ?? (isByHash ? undefined : await numbers())
  if (!rejected && !isByHash) return settle()
  // resend: large query
  return (await query.readRejected(whole(rejected), error)) ?? settle()
}

function filterOf({ filter, range }: Chunk, page: ResultPage | undefined): Filter {
  return {
    ...(range && { fromBlock: hex(range.from), toBlock: hex(range.to) }),
    ...filter,
    ...(page && { after: undefined, count: page.maxElements }),
  }
}
