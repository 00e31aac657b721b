import { FairleadError } from '@fairlead/core'
import type { Address, BlockNumberOrTag, Filter, Log } from '../generated/index.ts'
import { inOrder } from '../streams/ordered.ts'
import { isTemporary, isUnknownBlock, withRetries } from '../streams/pausing.ts'
import { type StreamSource, transportOf } from '../streams/source.ts'
import type { Transport } from '../transport.ts'
import { requireInteger } from '../transports/configuration.ts'
import { toNumber, toQuantity } from '../values/hex.ts'
import { type Refusal, refusalOf } from './refusal.ts'

/** Options of {@link getLogs}. */
export interface GetLogsOptions {
  /** Maximum number of blocks per request. Default: the whole range is requested first. */
  readonly maxRange?: number | undefined
  /** Maximum number of concurrent requests. Default 1. */
  readonly concurrency?: number | undefined
  /** Maximum number of retries when the node is unavailable or limits the request rate. Default 10. */
  readonly retries?: number | undefined
  /** Cancels it; the abort reason is thrown unchanged. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Gets the logs of a block range of any size, in as many requests as the node needs.
 *
 * A range that the node rejects is split. The parts are as large as the error message of the node or provider allows,
 * or half as large if it contains no limit. Successful responses increase the size of the next part again. A single
 * block that is rejected is split by addresses. Block tags are resolved once, at the start.
 *
 * @param source - a client or a transport
 * @param filter - as for `eth_getLogs`; `pending` is not supported
 * @param options - limits and the signal
 * @returns lists of logs in the order of the chain; a list may be empty
 * @throws FairleadError `CONFIG_INVALID`. While it is read: errors of a request, and the error for a single block that
 *   is rejected and cannot be split
 * @example
 * ```ts
 * for await (const logs of getLogs(evm, { address: token, fromBlock: '0x0', toBlock: 'finalized' })) save(logs)
 * ```
 * @see specs/evm/openrpc.yaml, eth_getLogs
 */
export function getLogs(
  source: StreamSource,
  filter: Filter,
  options: GetLogsOptions = {},
): AsyncGenerator<Log[], void, undefined> {
  const { maxRange = Number.MAX_SAFE_INTEGER, concurrency = 1, retries = 10 } = options
  requireInteger('maxRange', maxRange, 1)
  requireInteger('concurrency', concurrency, 1)
  requireInteger('retries', retries, 0)
  const { signal = new AbortController().signal } = options
  return logChunks(transportOf(source), filter, { maxRange, concurrency, retries, signal })
}

/**
 * Gets the logs of a block range of any size as one list; {@link getLogs} does not need the memory for all of them.
 *
 * @param source - a client or a transport
 * @param filter - as for `eth_getLogs`; `pending` is not supported
 * @param options - limits and the signal
 * @returns the logs in the order of the chain
 * @throws FairleadError as {@link getLogs}
 * @example
 * ```ts
 * const logs = await getAllLogs(evm, { address: token, fromBlock: '0x0', toBlock: 'finalized' })
 * ```
 * @see specs/evm/openrpc.yaml, eth_getLogs
 */
export async function getAllLogs(
  source: StreamSource,
  filter: Filter,
  options: GetLogsOptions = {},
): Promise<Log[]> {
  const all: Log[] = []
  for await (const logs of getLogs(source, filter, options)) for (const log of logs) all.push(log)
  return all
}

type ResolvedOptions = { readonly [option in keyof GetLogsOptions]: NonNullable<GetLogsOptions[option]> }

async function* logChunks(
  transport: Transport,
  filter: Filter,
  { maxRange, concurrency, retries, signal }: Required<ResolvedOptions>,
): AsyncGenerator<Log[], void, undefined> {
  signal.throwIfAborted()
  const { address, topics } = filter
  const fixed = topics ? { topics } : {}
  const addresses = distinct(address)
  const query = (
    scope: object,
    subset: readonly Address[],
    stop: AbortSignal,
    shouldRetry: (error: unknown) => boolean = isTemporary,
  ) =>
    withRetries(
      async () => {
        const addressFilter = subset.length === 0 ? {} : { address: subset.length === 1 ? subset[0] : subset }
        const params = [{ ...scope, ...addressFilter, ...fixed }]
        return (await transport.request({ method: 'eth_getLogs', params }, { signal: stop })) as Log[]
      },
      retries,
      stop,
      shouldRetry,
    )
  const adaptiveRange = createAdaptiveRange(maxRange)

  /** Gets the logs of a range, and splits it as often as needed. */
  async function fetchRange(
    from: number,
    to: number,
    subset: readonly Address[],
    stop: AbortSignal,
  ): Promise<Log[]> {
    const span = to - from + 1
    const halves = async () => {
      const middle = Math.ceil(subset.length / 2)
      const first = await fetchRange(from, to, subset.slice(0, middle), stop)
      const second = await fetchRange(from, to, subset.slice(middle), stop)
      return [...first, ...second].toSorted(byPosition)
    }
    if (subset.length > adaptiveRange.addresses) return await halves()
    try {
      const scope = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
      // A timeout first counts as a too large query, and only then as a failure of the node.
      const shouldRetry = (error: unknown) => isTemporary(error) && !refusalOf(error, from, span)
      const logs = await query(scope, subset, stop, shouldRetry)
      adaptiveRange.grow(span)
      return logs
    } catch (error) {
      const refusal = stop.aborted ? undefined : refusalOf(error, from, span)
      if (!refusal) throw error
      if (subset.length > 1 && (refusal.of === 'addresses' || span === 1)) {
        if (refusal.of === 'addresses')
          adaptiveRange.addresses = Math.min(adaptiveRange.addresses, Math.ceil(subset.length / 2))
        return await halves()
      }
      if (span === 1) throw error
      const size = adaptiveRange.shrink(refusal, span)
      const logs: Log[] = []
      for (let start = from; start <= to; start += size) {
        const chunk = await fetchRange(start, Math.min(to, start + size - 1), subset, stop)
        for (const log of chunk) logs.push(log)
      }
      return logs
    }
  }

  if ('blockHash' in filter) {
    yield await query({ blockHash: filter.blockHash }, addresses, signal)
    return
  }
  const resolve = (option: 'fromBlock' | 'toBlock') =>
    withRetries(
      () => numberOf(transport, filter[option] ?? 'latest', option, signal),
      retries,
      signal,
      isNodeUnavailable,
    )
  const to = await resolve('toBlock')
  const from = await resolve('fromBlock')
  function* ranges() {
    for (let start = from; start <= to;) {
      const end = Math.min(to, start + adaptiveRange.span - 1)
      yield [start, end] as const
      start = end + 1
    }
  }
  yield* inOrder(
    ranges(),
    concurrency,
    ([start, end], stop) => fetchRange(start, end, addresses, stop),
    signal,
  )
}

/** Adaptive size of the requests. */
interface AdaptiveRange {
  readonly span: number
  /** Maximum number of addresses per request. */
  addresses: number
  grow(span: number): void
  /** Returns the size of the parts of a rejected range. */
  shrink(refusal: Refusal, span: number): number
}

// A range size that was just rejected is not retried immediately, because every rejection costs the node and the caller
// a request.
const successesToGrow = 3

function createAdaptiveRange(maxRange: number): AdaptiveRange {
  let span = maxRange
  // The node rejects more blocks than this, whatever the blocks contain.
  let ceiling = maxRange
  let successes = 0
  return {
    addresses: Number.MAX_SAFE_INTEGER,
    get span() {
      return span
    },
    grow(successfulSpan) {
      if (successfulSpan < span || ++successes < successesToGrow) return
      successes = 0
      span = Math.min(ceiling, span * 2)
    },
    shrink({ span: reportedSpan, fixed }, refusedSpan) {
      const size = reportedSpan ?? Math.ceil(refusedSpan / 2)
      if (fixed) ceiling = Math.min(ceiling, reportedSpan ?? refusedSpan - 1)
      successes = 0
      span = Math.min(span, size)
      return size
    },
  }
}

// A block that a tag does not resolve to yet will not appear within an acceptable time.
const isNodeUnavailable = (error: unknown): boolean => isTemporary(error) && !isUnknownBlock(error)

async function numberOf(
  transport: Transport,
  block: BlockNumberOrTag,
  option: string,
  signal: AbortSignal,
): Promise<number> {
  if (block === 'pending') throw invalid(option, 'must be a block that is part of the chain')
  if (block.startsWith('0x')) return toNumber(block)
  if (block === 'latest') {
    return toNumber((await transport.request({ method: 'eth_blockNumber' }, { signal })) as string)
  }
  const params = [block, false]
  const found = (await transport.request({ method: 'eth_getBlockByNumber', params }, { signal })) as {
    number: string
  } | null
  if (found) return toNumber(found.number)
  throw invalid(option, 'must be a block that the node knows')
}

function distinct(address: Filter['address']): Address[] {
  const list = typeof address === 'string' ? [address] : (address ?? [])
  return [...new Map(list.map((item) => [item.toLowerCase(), item])).values()]
}

function byPosition(a: Log, b: Log): number {
  const difference = toNumber(a.blockNumber ?? '0x0') - toNumber(b.blockNumber ?? '0x0')
  return difference || toNumber(a.logIndex ?? '0x0') - toNumber(b.logIndex ?? '0x0')
}

function invalid(option: string, rule: string): FairleadError {
  return new FairleadError('CONFIG_INVALID', { option, rule })
}
