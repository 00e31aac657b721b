import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../../rpc-codes.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-budget'
import type { RpcResponse } from '../../rpc-response.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { isTooWide, narrower } from './range-refusal.ts'

/** Range of blocks from the first to the last one, both inclusive. */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/** How the chunks of a query are requested. */
export interface Gathering {
  /** Requests the logs of a subrange. */
  readonly ask: (range: BlockRange) => Promise<RpcResponse>
  /** Maximum number of blocks in one request. */
  readonly maxBlocks: number
  /** Reservation for the logs received so far. */
  readonly reservation: Reservation
}

// A query that needs more requests is unsuitable for the upstream.
const maxAsked = 2_000
const maxAtOnce = 4

/**
 * Requests the logs of a long range in chunks, and joins the chunks in block order. A chunk that the upstream rejects
 * as too wide is split further. The logs themselves are not parsed.
 *
 * @param range - the full range
 * @param gathering - how to request chunks
 * @returns the logs, or the upstream's error for a chunk
 * @throws {@link RpcError} -32602 when the query takes too many requests, -32005 when the logs are too large, else as
 * `ask`
 */
export function gatherLogs(range: BlockRange, gathering: Gathering): Promise<RpcResponse> {
  return new LogQuery(gathering).answer(range)
}

/** One query, chunk by chunk. */
class LogQuery {
  readonly #gathering: Gathering
  #blocks: number
  #asked = 0
  #error: RpcResponse | undefined

  constructor(gathering: Gathering) {
    this.#gathering = gathering
    this.#blocks = gathering.maxBlocks
  }

  async answer(range: BlockRange): Promise<RpcResponse> {
    const ranges = partsOf(range, this.#blocks)
    const found: string[] = []
    let next = 0
    const work = async () => {
      for (let part = next++; part < ranges.length && !this.#error; part = next++) {
        found[part] = await this.#logsOf(ranges[part] as BlockRange)
      }
    }
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, ranges.length) }, work))
    return this.#error ?? { result: `[${found.filter((logs) => logs !== '').join(',')}]` }
  }

  /** Returns the logs of a chunk as JSON without the enclosing brackets. */
  async #logsOf(range: BlockRange): Promise<string> {
    // Limits that an earlier chunk revealed apply to this one too.
    const ranges = partsOf(range, this.#blocks)
    if (ranges.length > 1) return this.#joined(ranges)
    const blocks = range.to - range.from + 1
    this.#asked += 1
    if (this.#asked > maxAsked) throw tooManyParts()
    const part = await this.#ask(range)
    if ('result' in part) {
      this.#gathering.reservation.take(part.result.length)
      const logs = part.result.trim()
      if (!logs.startsWith('[') || !logs.endsWith(']')) throw notLogs()
      return logs.slice(1, -1).trim()
    }
    const error = JSON.parse(part.error) as { readonly message?: unknown; readonly data?: unknown }
    if (blocks === 1 || !isTooWide(error)) {
      this.#error ??= part
      return ''
    }
    const next = narrower(error, range.from, blocks)
    if (next.isLimit) this.#blocks = Math.min(this.#blocks, next.blocks)
    return this.#joined(partsOf(range, next.blocks))
  }

  async #joined(ranges: readonly BlockRange[]): Promise<string> {
    const found: string[] = []
    for (const range of ranges) {
      if (this.#error) return ''
      const logs = await this.#logsOf(range)
      if (logs !== '') found.push(logs)
    }
    return found.join(',')
  }

  /** Requests a range. Some upstreams report with an HTTP status that the query is too wide. */
  async #ask(range: BlockRange): Promise<RpcResponse> {
    try {
      return await this.#gathering.ask(range)
    } catch (error) {
      const isLarge = error instanceof UpstreamError && error.httpStatus === 413
      if (!isLarge || range.from === range.to) throw error
      return { error: '{"message":"response too large"}' }
    }
  }
}

/**
 * Splits a range at multiples of the size, so that overlapping ranges have chunks in common.
 *
 * @param blocks - maximum number of blocks in a chunk
 */
export function partsOf({ from, to }: BlockRange, blocks: number): BlockRange[] {
  if (to - from < blocks) return [{ from, to }]
  const parts: BlockRange[] = []
  for (let start = from; start <= to;) {
    if (parts.length === maxAsked) throw tooManyParts()
    const end = Math.min(to, start - (start % blocks) + blocks - 1)
    parts.push({ from: start, to: end })
    start = end + 1
  }
  return parts
}

function tooManyParts(): RpcError {
  const message = 'The range is too long to be asked for in parts; ask for fewer blocks.'
  return new RpcError(rpcCodes.invalidParams, message)
}

function notLogs(): UpstreamError {
  return new UpstreamError('malformed', 'The node answered something that is no list of logs.')
}
