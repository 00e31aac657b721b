import { FairleadError } from '@fairlead/core'
import type { FilterAddress, FilterTopics, Hash32, Log, Quantity } from '../generated/index.ts'
import { getLogs } from '../logs/get-logs.ts'
import type { Transport } from '../transport.ts'
import { requireInteger } from '../transports/configuration.ts'
import { toNumber, toQuantity } from '../values/hex.ts'
import { type BlockPosition, checkFollowOptions, follow, type FollowOptions, startOf } from './follow.ts'
import { headerOf, type MinedHeader } from './heads.ts'
import { isUnknownBlock, withRetries } from './pausing.ts'
import { type StreamSource, transportOf } from './source.ts'
import { type Stream, streamOf } from './stream.ts'

/** Which logs to watch, as for `eth_getLogs`. */
export interface LogFilter {
  readonly address?: FilterAddress | undefined
  readonly topics?: FilterTopics | undefined
}

/** A log that is part of a block. */
export interface MinedLog extends Log {
  blockNumber: Quantity
  blockHash: Hash32
  logIndex: Quantity
}

/** The events of {@link watchLogs}. */
export type LogEvent =
  | { readonly type: 'log'; readonly log: MinedLog }
  /** A delivered log has been reorged out; `log.removed` is true. */
  | { readonly type: 'removed'; readonly log: MinedLog }

/** The last log that was processed. Every log of {@link watchLogs} is a valid position. */
export interface LogPosition {
  readonly blockNumber: Quantity
  readonly blockHash: Hash32
  readonly logIndex: Quantity
}

/** Options of {@link watchLogs}. */
export interface WatchLogsOptions extends FollowOptions {
  /**
   * The first block whose logs are delivered, by number; or the last log that was processed before, to resume after it.
   * Default: the latest block.
   */
  readonly from?: number | bigint | Quantity | LogPosition | undefined
  /** Maximum number of blocks per request for logs of old blocks. Default: determined automatically. */
  readonly maxRange?: number | undefined
}

/**
 * Follows the logs of a chain: delivers every log once and in order, and the logs that a reorganization removes.
 *
 * Logs are requested by block hash, so they belong to exactly the block that the stream has reached. Only blocks older
 * than `window` are requested by range. Blooms are ignored, because some chains leave them empty.
 *
 * @param source - a client or a transport
 * @param filter - contracts and topics
 * @param options - start position and how to follow
 * @returns an endless stream; it ends when its reader stops or the signal aborts
 * @throws FairleadError `CONFIG_INVALID`. While it is read: `STREAM_GAP` when a reorganization is deeper than `window`
 *   or the node no longer stores the removed logs, `STREAM_OVERFLOW`, and errors of a request after all `retries`
 * @example
 * ```ts
 * for await (const { type, log } of watchLogs(evm, { address: token }, { from: lastLog })) {
 *   if (type === 'log') save(log)
 *   else undo(log)
 * }
 * ```
 * @see specs/evm/openrpc.yaml, eth_getLogs; EIP-234
 */
export function watchLogs(
  source: StreamSource,
  filter: LogFilter = {},
  options: WatchLogsOptions = {},
): Stream<LogEvent> {
  checkFollowOptions(options)
  const { from, maxRange } = options
  if (maxRange !== undefined) requireInteger('maxRange', maxRange, 1)
  const position = typeof from === 'object' ? from : undefined
  const block: BlockPosition | undefined = position && {
    number: position.blockNumber,
    hash: position.blockHash,
  }
  const last = position ? toNumber(position.logIndex) : -1
  const start = startOf(typeof from === 'object' ? block : from)
  return streamOf(operation, options, (signal) => events(source, filter, options, start, last, signal))
}

const operation = 'watchLogs'

async function* events(
  source: StreamSource,
  { address, topics }: LogFilter,
  options: WatchLogsOptions,
  from: number | BlockPosition | undefined,
  last: number,
  signal: AbortSignal,
): AsyncGenerator<LogEvent, void, undefined> {
  const blocks: Transport = transportOf(options.backfill ?? source)
  const { window = 256, concurrency = 8, maxRange } = options
  const filter = {
    ...(address === undefined ? {} : { address }),
    ...(topics === undefined ? {} : { topics }),
  }
  const logsOf = async (blockHash: Hash32, stop: AbortSignal) => {
    const params = [{ blockHash, ...filter }]
    return inChainOrder(await blocks.request({ method: 'eth_getLogs', params }, { signal: stop }))
  }
  // The logs that a reorganization would have to remove.
  const delivered = new Map<Hash32, readonly MinedLog[]>()
  const store = (hash: Hash32, logs: readonly MinedLog[]) => {
    delivered.set(hash, logs)
    for (const oldest of delivered.keys()) {
      if (delivered.size <= window) break
      delivered.delete(oldest)
    }
  }
  const gap = () =>
    new FairleadError('STREAM_GAP', {
      operation,
      reason: 'the node does not have the logs of a block that left the chain',
    })
  const logsBefore = async ({ number, hash }: BlockPosition) => {
    try {
      return await logsOf(hash, signal)
    } catch (error) {
      if (!isUnknownBlock(error)) throw error
      // A node that lags will have the block later; a node with another block at that height will not.
      const params = [number, false]
      const canonical = headerOf(await blocks.request({ method: 'eth_getBlockByNumber', params }, { signal }))
      throw canonical && canonical.hash !== hash ? gap() : error
    }
  }

  if (typeof from === 'object') {
    const logs = await withRetries(() => logsBefore(from), options.retries, signal)
    store(from.hash, logs)
    for (const log of logs) if (toNumber(log.logIndex) > last) yield { type: 'log', log }
  }
  const load = (_: unknown, header: MinedHeader, stop: AbortSignal) => logsOf(header.hash, stop)
  const plan = { operation, full: false, headerSuffices: true, ranges: true, from, load }
  for await (const event of follow(source, options, plan, signal)) {
    if (event.type === 'block') {
      store(event.header.hash, event.loaded)
      for (const log of event.loaded) yield { type: 'log', log }
    } else if (event.type === 'range') {
      const range = { fromBlock: toQuantity(event.from), toBlock: toQuantity(event.to) }
      const limits = { maxRange, concurrency, retries: options.retries, signal }
      for await (const logs of getLogs(blocks, { ...filter, ...range }, limits)) {
        for (const log of logs as MinedLog[]) yield { type: 'log', log }
      }
    } else {
      for (const removed of event.removed) {
        // Only blocks from before a resumed stream are missing here.
        const logs =
          delivered.get(removed.hash) ??
          (await withRetries(() => logsBefore(removed), options.retries, signal))
        delivered.delete(removed.hash)
        for (const log of logs.toReversed()) yield { type: 'removed', log: { ...log, removed: true } }
      }
    }
  }
}

function inChainOrder(logs: unknown): MinedLog[] {
  return (logs as MinedLog[]).toSorted((a, b) => toNumber(a.logIndex) - toNumber(b.logIndex))
}
