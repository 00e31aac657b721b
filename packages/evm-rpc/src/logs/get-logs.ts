import { FairleadError } from '@fairlead/core'
import type { Address, BlockNumberOrTag, Filter, Log } from '../generated/index.ts'
import { inOrder } from '../streams/ordered.ts'
import { isPassing, isUnknownBlock, persistently } from '../streams/pausing.ts'
import { type StreamSource, transportOf } from '../streams/source.ts'
import type { Transport } from '../transport.ts'
import { requireWhole } from '../transports/configuration.ts'
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
  requireWhole('maxRange', maxRange, 1)
  requireWhole('concurrency', concurrency, 1)
  requireWhole('retries', retries, 0)
  const { signal = new AbortController().signal } = options
  return parts(transportOf(source), filter, { maxRange, concurrency, retries, signal })
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

type Chosen = { readonly [option in keyof GetLogsOptions]: NonNullable<GetLogsOptions[option]> }

async function* parts(
  transport: Transport,
  filter: Filter,
  { maxRange, concurrency, retries, signal }: Required<Chosen>,
): AsyncGenerator<Log[], void, undefined> {
  signal.throwIfAborted()
  const { address, topics } = filter
  const fixed = topics ? { topics } : {}
  const addresses = distinct(address)
  const query = (
    scope: object,
    some: readonly Address[],
    stop: AbortSignal,
    mayPass: (error: unknown) => boolean = isPassing,
  ) =>
    persistently(
      async () => {
        const only = some.length === 0 ? {} : { address: some.length === 1 ? some[0] : some }
        const params = [{ ...scope, ...only, ...fixed }]
        return (await transport.request({ method: 'eth_getLogs', params }, { signal: stop })) as Log[]
      },
      retries,
      stop,
      mayPass,
    )
  const pace = createPace(maxRange)

  /** Gets the logs of a range, and splits it as often as needed. */
  async function gather(
    from: number,
    to: number,
    some: readonly Address[],
    stop: AbortSignal,
  ): Promise<Log[]> {
    const span = to - from + 1
    const halves = async () => {
      const middle = Math.ceil(some.length / 2)
      const one = await gather(from, to, some.slice(0, middle), stop)
      const other = await gather(from, to, some.slice(middle), stop)
      return [...one, ...other].toSorted(byPosition)
    }
    if (some.length > pace.addresses) return await halves()
    try {
      const scope = { fromBlock: toQuantity(from), toBlock: toQuantity(to) }
      // A timeout first counts as a too large query, and only then as a failure of the node.
      const mayPass = (error: unknown) => isPassing(error) && !refusalOf(error, from, span)
      const logs = await query(scope, some, stop, mayPass)
      pace.answered(span)
      return logs
    } catch (error) {
      const refusal = stop.aborted ? undefined : refusalOf(error, from, span)
      if (!refusal) throw error
      if (some.length > 1 && (refusal.of === 'addresses' || span === 1)) {
        if (refusal.of === 'addresses') pace.addresses = Math.min(pace.addresses, Math.ceil(some.length / 2))
        return await halves()
      }
      if (span === 1) throw error
      const size = pace.refused(refusal, span)
      const logs: Log[] = []
      for (let start = from; start <= to; start += size) {
        const part = await gather(start, Math.min(to, start + size - 1), some, stop)
        for (const log of part) logs.push(log)
      }
      return logs
    }
  }

  if ('blockHash' in filter) {
    yield await query({ blockHash: filter.blockHash }, addresses, signal)
    return
  }
  const resolve = (option: 'fromBlock' | 'toBlock') =>
    persistently(
      () => numberOf(transport, filter[option] ?? 'latest', option, signal),
      retries,
      signal,
      isAway,
    )
  const to = await resolve('toBlock')
  const from = await resolve('fromBlock')
  function* ranges() {
    for (let start = from; start <= to;) {
      const end = Math.min(to, start + pace.span - 1)
      yield [start, end] as const
      start = end + 1
    }
  }
  yield* inOrder(ranges(), concurrency, ([start, end], stop) => gather(start, end, addresses, stop), signal)
}

/** Adaptive size of the requests. */
interface Pace {
  readonly span: number
  /** Maximum number of addresses per request. */
  addresses: number
  answered(span: number): void
  /** Returns the size of the parts of a rejected range. */
  refused(refusal: Refusal, span: number): number
}

// A range size that was just rejected is not retried immediately, because every rejection costs the node and the caller
// a request.
const answersToGrow = 3

function createPace(maxRange: number): Pace {
  let span = maxRange
  // The node rejects more blocks than this, whatever the blocks contain.
  let ceiling = maxRange
  let answers = 0
  return {
    addresses: Number.MAX_SAFE_INTEGER,
    get span() {
      return span
    },
    answered(answeredSpan) {
      if (answeredSpan < span || ++answers < answersToGrow) return
      answers = 0
      span = Math.min(ceiling, span * 2)
    },
    refused({ span: told, fixed }, refusedSpan) {
      const size = told ?? Math.ceil(refusedSpan / 2)
      if (fixed) ceiling = Math.min(ceiling, told ?? refusedSpan - 1)
      answers = 0
      span = Math.min(span, size)
      return size
    },
  }
}

// A block that a tag does not resolve to yet will not appear within an acceptable time.
const isAway = (error: unknown): boolean => isPassing(error) && !isUnknownBlock(error)

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
  return [...new Map(list.map((one) => [one.toLowerCase(), one])).values()]
}

function byPosition(one: Log, other: Log): number {
  const difference = toNumber(one.blockNumber ?? '0x0') - toNumber(other.blockNumber ?? '0x0')
  return difference || toNumber(one.logIndex ?? '0x0') - toNumber(other.logIndex ?? '0x0')
}

function invalid(option: string, rule: string): FairleadError {
  return new FairleadError('CONFIG_INVALID', { option, rule })
}
