import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../../rpc-codes.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import { errorIn, type RpcResponse } from '../../response/rpc-response.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { BlockRange } from './block-range.ts'
import { isTooWide, narrower } from './range-limit-error.ts'

/** How the chunks of a query are requested. */
export interface GatherOptions {
  /** Requests the logs of a subrange. */
  readonly send: (range: BlockRange) => Promise<RpcResponse>
  /** Maximum number of blocks in one request. */
  readonly maxBlocks: number
  /** Reservation for the logs received so far. */
  readonly reservation: Reservation
}

// A query that needs more requests is unsuitable for the upstream.
const maxRequests = 2_000
const maxParallel = 4

/**
 * Requests the logs of a long range in chunks, and joins the chunks in block order. A chunk that the upstream rejects
 * as too wide is split further. The logs themselves are not parsed.
 *
 * @param range - the full range
 * @param options - how to request chunks
 * @returns the logs, or the upstream's error for a chunk
 * @throws {@link RpcError} -32602 when the query takes too many requests, -32005 when the logs are too large, else as
 * `send`
 */
export function gatherChunks(range: BlockRange, options: GatherOptions): Promise<RpcResponse> {
  return new LogQuery(options).read(range)
}

/** One query, chunk by chunk. */
class LogQuery {
  readonly #options: GatherOptions
  #blocks: number
  #requests = 0
  #error: RpcResponse | undefined

  constructor(options: GatherOptions) {
    this.#options = options
    this.#blocks = options.maxBlocks
  }

  async read(range: BlockRange): Promise<RpcResponse> {
    const ranges = splitRange(range, this.#blocks)
    const found: string[] = []
    let next = 0
    const work = async () => {
      for (let index = next++; index < ranges.length && !this.#error; index = next++) {
        found[index] = await this.#logsOf(ranges[index] as BlockRange)
      }
    }
    await Promise.all(Array.from({ length: Math.min(maxParallel, ranges.length) }, work))
    return this.#error ?? { result: `[${found.filter((logs) => logs !== '').join(',')}]` }
  }

  /** Returns the logs of a chunk as JSON without the enclosing brackets. */
  async #logsOf(range: BlockRange): Promise<string> {
    // Limits that an earlier chunk revealed apply to this one too.
    const ranges = splitRange(range, this.#blocks)
    if (ranges.length > 1) return this.#joined(ranges)
    const blocks = range.to - range.from + 1
    this.#requests += 1
    if (this.#requests > maxRequests) throw tooManyChunks()
    const response = await this.#send(range)
    if ('result' in response) {
      this.#options.reservation.take(response.result.length)
      const logs = response.result.trim()
      if (!logs.startsWith('[') || !logs.endsWith(']')) throw notLogs()
      return logs.slice(1, -1).trim()
    }
    const error = errorIn(response) ?? {}
    if (blocks === 1 || !isTooWide(error)) {
      this.#error ??= response
      return ''
    }
    const next = narrower(error, range.from, blocks)
    if (next.isLimit) this.#blocks = Math.min(this.#blocks, next.blocks)
    return this.#joined(splitRange(range, next.blocks))
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
  async #send(range: BlockRange): Promise<RpcResponse> {
    try {
      return await this.#options.send(range)
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
export function splitRange({ from, to }: BlockRange, blocks: number): BlockRange[] {
  if (to - from < blocks) return [{ from, to }]
  const chunks: BlockRange[] = []
  for (let start = from; start <= to;) {
    if (chunks.length === maxRequests) throw tooManyChunks()
    const end = Math.min(to, start - (start % blocks) + blocks - 1)
    chunks.push({ from: start, to: end })
    start = end + 1
  }
  return chunks
}

function tooManyChunks(): RpcError {
  const message = 'The block range is too long to be split. Request fewer blocks.'
  return new RpcError(rpcCodes.invalidParams, message)
}

function notLogs(): UpstreamError {
  return new UpstreamError('malformed', 'The response of the upstream is not a list of logs.')
}
