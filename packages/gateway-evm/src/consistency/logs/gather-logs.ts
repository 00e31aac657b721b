import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../../rpc-codes.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-budget'
import type { RpcResponse } from '../../rpc-response.ts'
import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { isTooWide, narrower } from './range-refusal.ts'

/** Blocks from the first to the last one, both included. */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/** What a query is put together with. */
export interface Gathering {
  /** Asks for the logs of some of the blocks. */
  readonly ask: (range: BlockRange) => Promise<RpcResponse>
  /** Most blocks that are asked for at once. */
  readonly maxBlocks: number
  /** Holds what was found so far. */
  readonly reservation: Reservation
}

// A node that needs more than this is the wrong one for the query.
const maxAsked = 2_000
const maxAtOnce = 4

/**
 * Asks for the logs of a long range in parts, and puts the parts together in the order of the blocks. A part that the
 * node finds too wide is asked for in smaller ones. The logs themselves are not looked at.
 *
 * @param range - all of it
 * @param gathering - how to ask
 * @returns the logs, or the node's error for a part
 * @throws {@link RpcError} -32602 when it takes too many calls, -32005 when the logs are too many, else as `ask`
 */
export function gatherLogs(range: BlockRange, gathering: Gathering): Promise<RpcResponse> {
  return new LogQuery(gathering).answer(range)
}

/** One query, part by part. */
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

  /** The logs of a part as JSON without the brackets around them. */
  async #logsOf(range: BlockRange): Promise<string> {
    // What was learned from an earlier part holds for this one too.
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

  /** Some nodes say by an HTTP status that the query is too wide. */
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
 * Cuts a range where multiples of the size are, so that ranges which overlap have parts in common.
 *
 * @param blocks - most in a part
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
