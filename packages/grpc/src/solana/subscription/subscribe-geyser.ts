import { FairleadError } from '@fairlead/core'
import { CommitmentLevel, type SubscribeRequest, type SubscribeUpdate } from '../../generated/geyser.ts'
import type { GeyserFilters } from '../filters/geyser-filters.ts'
import { reservedName, toSubscribeRequest } from '../filters/to-request.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { GeyserCalls } from './connection.ts'
import { type GeyserNotice, callListener } from './notice.ts'
import { checkOptions, type GeyserSubscriptionOptions } from './options.ts'
import { createSlotTracker } from './slot-tracker.ts'
import { createStreamReader, type StreamState } from './stream-reader.ts'

/** The kind of update of each kind of filter. */
interface UpdateCases {
  accounts: 'account'
  slots: 'slot'
  transactions: 'transaction'
  transactionsStatus: 'transactionStatus'
  blocks: 'block'
  blocksMeta: 'blockMeta'
  entry: 'entry'
}

/** The kinds of filters. */
export type FilterKind = keyof UpdateCases

type AnyUpdate = NonNullable<SubscribeUpdate['updateOneof']>

/**
 * An update that matches the filters: `updateOneof.$case` is the kind, `filters` the names of the filters that matched.
 */
export interface GeyserUpdate<kind extends FilterKind = FilterKind> extends SubscribeUpdate {
  updateOneof: Extract<AnyUpdate, { $case: UpdateCases[kind] }>
}

/** An open subscription. It reads from the server on demand. */
export interface GeyserSubscription<kind extends FilterKind = FilterKind>
  extends AsyncIterableIterator<GeyserUpdate<kind>, undefined, undefined>, AsyncDisposable {
  /**
   * Replaces the filters by others of the same kinds, without an interruption. Updates in transit still match the old
   * ones.
   *
   * @throws FairleadError `CONFIG_INVALID` when a filter is invalid, or the commitment level differs
   */
  setFilters(filters: Pick<GeyserFilters, kind | 'commitment' | 'accountsDataSlice'>): void
  /** The position of the reader; undefined before the first update. */
  readonly checkpoint: Checkpoint | undefined
  return(): Promise<IteratorResult<GeyserUpdate<kind>, undefined>>
}

/**
 * Subscribes to updates of a Solana node, and recovers from faults: when the call ends, or no data arrives any more, it
 * opens a new call and requests a replay of the latest blocks. Every update is delivered once, and none is missing.
 *
 * Updates that the server no longer has are lost: by default that is the error `STREAM_GAP`. At PROCESSED a slot may
 * turn out to be on a lost branch: a `fork` notice reports it when 33 blocks have continued without it. Some servers
 * replay complete blocks only, so that at PROCESSED a call misses the beginning of the current block. Statuses of slots
 * before the last complete blocks, and of the steps between the levels, are not replayed.
 *
 * @param calls - a client created from `GeyserDefinition`
 * @param filters - the filters of the subscription; 64-bit numbers as `bigint`, addresses in base58
 * @param options - start position, behavior after faults, storage for checkpoints
 * @returns an endless sequence of updates; 64-bit fields are `bigint`, bytes are `Uint8Array`
 * @throws FairleadError `CONFIG_INVALID` immediately. While it is read: `STREAM_GAP`, and `GRPC_STATUS` for a status
 *   that another call would not change, for example UNAUTHENTICATED; errors of a checkpoint store
 * @example
 * ```ts
 * const geyser = createGrpcClient(GeyserDefinition, { url, auth: { kind: 'x-token', token } })
 * const updates = subscribeGeyser(geyser, { transactions: { mine: { accountInclude: [wallet], vote: false } } })
 * for await (const { updateOneof } of updates) {
 *   const { slot, transaction } = updateOneof.value
 *   if (transaction) console.log(slot, encodeBase58(transaction.signature))
 * }
 * ```
 * @see specs/grpc/geyser.proto, Subscribe
 */
export function subscribeGeyser<const filters extends GeyserFilters>(
  calls: GeyserCalls,
  filters: filters,
  options: GeyserSubscriptionOptions = {},
): GeyserSubscription<keyof filters & FilterKind> {
  checkOptions(options)
  const { signal } = options
  const stop = new AbortController()
  const commitment = filters.commitment ?? CommitmentLevel.PROCESSED
  const state: StreamState = {
    request: requestOf(filters),
    connection: undefined,
    checkpoint: undefined,
    reopen: false,
  }
  const notify = (notice: GeyserNotice) => callListener(options.onNotice, notice)
  const tracker = createSlotTracker(notify)
  const read = createStreamReader(calls, options, { state, tracker, notify, stop: stop.signal })

  const onAbort = () => stop.abort(signal?.reason)
  const release = () => signal?.removeEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  else signal?.addEventListener('abort', onAbort)
  const done: IteratorReturnResult<undefined> = { done: true, value: undefined }
  let ended = false
  const end = () => {
    ended = true
    release()
    state.connection?.close()
  }
  // Number of queued calls of `next`; usually one.
  let waiting = 0
  let last: Promise<IteratorResult<SubscribeUpdate, undefined>> = Promise.resolve(done)
  const advance = async (): Promise<IteratorResult<SubscribeUpdate, undefined>> => {
    try {
      return ended ? done : { done: false, value: await read() }
    } catch (error) {
      end()
      if (!stop.signal.aborted) throw error
      if (stop.signal.reason !== readerStopped) throw stop.signal.reason
      return done
    } finally {
      waiting--
    }
  }
  const stopReading = async () => {
    stop.abort(readerStopped)
    await last.catch(() => {})
    end()
  }

  const subscription = {
    next() {
      last = waiting++ === 0 ? advance() : last.then(advance, advance)
      return last
    },
    async return() {
      await stopReading()
      return done
    },
    setFilters(next: GeyserFilters) {
      const request = requestOf(next)
      if ((next.commitment ?? CommitmentLevel.PROCESSED) !== commitment) {
        const rule = 'must stay the same: subscribe once more for another level'
        throw new FairleadError('CONFIG_INVALID', { option: 'filters.commitment', rule })
      }
      state.request = request
      if (options.duplex ?? true) {
        state.connection?.subscribe(request)
      } else {
        state.reopen = true
        state.connection?.close()
      }
    },
    get checkpoint() {
      return state.checkpoint
    },
    [Symbol.asyncIterator]() {
      return this
    },
    // Not every browser has the symbol yet.
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: stopReading }),
  }
  return subscription as unknown as GeyserSubscription<keyof filters & FilterKind>
}

/** The reason with which a reader stops, which is not an error. */
const readerStopped = Symbol('the reader has left')

/** Without filters for the block meta, the subscription adds its own, which identifies complete blocks. */
function requestOf(filters: GeyserFilters): SubscribeRequest {
  const request = toSubscribeRequest(filters)
  const blockMetaFilter = Object.keys(request.blocksMeta).length === 0 ? { [reservedName]: {} } : {}
  return { ...request, blocksMeta: { ...request.blocksMeta, ...blockMetaFilter } }
}
