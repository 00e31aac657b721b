import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { errorIn, type RpcResponse } from '../../response/rpc-response.ts'
import type { ErrorObject } from '../../response/rpc-errors.ts'
import { rpcCodes } from '../../rpc-codes.ts'
import type { BlockRange, Filter } from './block-range.ts'
import { type DividedFilter, joinLogs } from './log-lists.ts'
import { divideRange } from './range-limit-error.ts'
import type { ResultPage } from './result-page.ts'

/** A part of a query. */
export interface Chunk {
  readonly filter: Filter
  /** Undefined for a block by its hash. */
  readonly range: BlockRange | undefined
}

/** How the chunks of a query are requested. */
export interface GatherOptions {
  /** Requests a chunk. */
  readonly send: (chunk: Chunk) => Promise<RpcResponse>
  /** Returns the maximum number of blocks in one request, as known now. */
  readonly maxBlocks: () => number
  /** Whether a smaller query may be accepted after an error. */
  readonly isTooLarge: (error: ErrorObject) => boolean
  /** Called when an error names a limit that applies to all queries. */
  readonly onLimit: (blocks: number) => void
  /** Divides a filter of logs by its lists, as `divideFilter`. */
  readonly divideFilter?: (
    filter: Filter,
    error: ErrorObject,
    isOneBlock: boolean,
  ) => DividedFilter | undefined
  /** The requested part of the result. Undefined for all of it. */
  readonly page?: ResultPage | undefined
  /** What results consist of. */
  readonly elements: 'logs' | 'traces'
  /** Reservation for the results received so far. */
  readonly reservation: Reservation
}

// A query that needs more requests is unsuitable for the upstream.
const maxRequests = 2_000
const maxParallel = 4

/** The response to one request, or its rejection. */
export interface Outcome<response> {
  /** Undefined for a rejection by HTTP status. */
  readonly response: response | undefined
  readonly error: ErrorObject | undefined
  /** Returns the response, or throws the rejection. */
  settle(): response
}

/** Sends a query. Some upstreams report with an HTTP status that it is too large. */
export async function outcomeOf<response extends object>(
  send: () => Promise<response>,
): Promise<Outcome<response>> {
  try {
    const response = await send()
    return { response, error: errorIn(response), settle: () => response }
  } catch (failure) {
    if (!(failure instanceof UpstreamError && failure.httpStatus === 413)) throw failure
    return {
      response: undefined,
      error: { message: 'response too large' },
      settle: () => {
        throw failure
      },
    }
  }
}

/**
 * Requests a query over a range of blocks in chunks, and joins their results in the order of the chain. A chunk that the
 * upstream rejects as too large is divided further. Results are not parsed unless a filter is divided by its lists.
 */
export class ChunkedQuery {
  readonly #options: GatherOptions
  #requests = 0
  #error: RpcResponse | undefined
  #isEnded = false

  constructor(options: GatherOptions) {
    this.#options = options
  }

  /**
   * Requests all chunks.
   *
   * @returns the result, or the upstream's error for a chunk
   * @throws {@link RpcError} -32602 when the query takes too many requests, -32005 when the result is too large, else as
   * `send`
   */
  async read(chunk: Chunk): Promise<RpcResponse> {
    const { page, maxBlocks } = this.#options
    const chunks = splitChunk(chunk, maxBlocks())
    return this.#response(await this.#joined(chunks, false, page ? 1 : maxParallel))
  }

  /**
   * Requests the chunks of a query that the upstream has rejected.
   *
   * @returns undefined when smaller queries do not help, else as {@link read}
   * @throws as {@link read}
   */
  async readRejected(chunk: Chunk, error: ErrorObject): Promise<RpcResponse | undefined> {
    const result = await this.#divided(chunk, error, false, this.#options.page ? 1 : maxParallel)
    return result === undefined ? undefined : this.#response(result)
  }

  #response(result: string): RpcResponse {
    return this.#error ?? { result: `[${result}]` }
  }

  /** Returns the result of a chunk as JSON without the enclosing brackets. */
  async #resultOf(chunk: Chunk, isTrial: boolean): Promise<string> {
    const { maxBlocks, send, reservation, page } = this.#options
    // Limits that an earlier chunk revealed apply to this one too.
    const chunks = splitChunk(chunk, maxBlocks())
    if (chunks.length > 1) return this.#joined(chunks, isTrial)
    this.#requests += 1
    if (this.#requests > maxRequests) throw tooManyChunks()
    const { response, error, settle } = await outcomeOf(() => send(chunk))
    if (response && 'result' in response) {
      reservation.take(response.result.length)
      const result = response.result.trim()
      if (!result.startsWith('[') || !result.endsWith(']')) throw this.#malformed()
      const elements = result.slice(1, -1).trim()
      return page ? page.take(elements) : elements
    }
    const divided = error && (await this.#divided(chunk, error, isTrial))
    if (divided !== undefined) return divided
    this.#error ??= settle()
    return ''
  }

  /**
   * Divides a rejected chunk. One that was a trial is divided again only when the error shows that this helps.
   *
   * @returns undefined when the chunk cannot be divided
   */
  async #divided(
    chunk: Chunk,
    error: ErrorObject,
    isTrial: boolean,
    parallel = 1,
  ): Promise<string | undefined> {
    const { filter, range } = chunk
    const { isTooLarge, divideFilter, maxBlocks, onLimit } = this.#options
    if (!isTooLarge(error)) return undefined
    const isOneBlock = !range || range.from === range.to
    const byLists = divideFilter?.(filter, error, isOneBlock)
    if (byLists) {
      if (isTrial && byLists.isTrial) return undefined
      const parts = byLists.filters.map((part) => ({ filter: part, range }))
      return this.#merged(parts, byLists.isTrial)
    }
    if (isOneBlock) return undefined
    const { size, isLimit, isTrial: isNextTrial } = divideRange(error, range)
    if (isLimit) onLimit(size)
    const known = maxBlocks()
    const isKnown = known <= range.to - range.from
    if (isTrial && isNextTrial && !isKnown) return undefined
    const chunks = splitChunk(chunk, isKnown ? known : size)
    return this.#joined(chunks, isNextTrial && !isKnown, isNextTrial ? 1 : parallel)
  }

  /** Joins chunks of different blocks, which are in the order of the chain. */
  async #joined(chunks: readonly Chunk[], isTrial: boolean, parallel = 1): Promise<string> {
    const found: string[] = []
    let next = 0
    const work = async () => {
      for (let at = next++; at < chunks.length && !this.#isOver; at = next++) {
        found[at] = await this.#resultOf(chunks[at] as Chunk, isTrial)
      }
    }
    try {
      await Promise.all(Array.from({ length: Math.min(parallel, chunks.length) }, work))
    } catch (error) {
      this.#isEnded = true
      throw error
    }
    return found.filter((result) => result !== '').join(',')
  }

  /** Merges chunks of the same blocks. */
  async #merged(chunks: readonly Chunk[], isTrial: boolean): Promise<string> {
    const found: string[] = []
    for (const chunk of chunks) {
      if (this.#isOver) return ''
      const result = await this.#resultOf(chunk, isTrial)
      if (result !== '') found.push(result)
    }
    const merged = found.length > 1 ? joinLogs(found) : (found[0] ?? '')
    if (merged === undefined) throw this.#malformed()
    return merged
  }

  #malformed(): UpstreamError {
    return new UpstreamError(
      'malformed',
      `The response of the upstream is not a list of ${this.#options.elements}.`,
    )
  }

  get #isOver(): boolean {
    return this.#isEnded || this.#error !== undefined || this.#options.page?.isComplete === true
  }
}

function splitChunk(chunk: Chunk, blocks: number): readonly Chunk[] {
  const { filter, range } = chunk
  return range ? splitRange(range, blocks).map((part) => ({ filter, range: part })) : [chunk]
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
