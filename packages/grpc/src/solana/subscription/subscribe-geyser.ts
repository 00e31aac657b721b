import { FairleadError } from '@fairlead/core'
import { CommitmentLevel, type SubscribeRequest, type SubscribeUpdate } from '../../generated/geyser.ts'
import type { GeyserFilters } from '../filters/geyser-filters.ts'
import { reservedName, toSubscribeRequest } from '../filters/to-request.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { GeyserCalls } from './connection.ts'
import { type GeyserNotice, tell } from './notice.ts'
import { checkOptions, type GeyserSubscriptionOptions } from './options.ts'
import { createSlotTracker } from './slot-tracker.ts'
import { createStreamReader, type StreamState } from './stream-reader.ts'

/** The kind of update that a kind of filter brings. */
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

/** An update that filters can bring: `updateOneof.$case` tells the kind, `filters` the names of those that matched. */
export interface GeyserUpdate<kind extends FilterKind = FilterKind> extends SubscribeUpdate {
  updateOneof: Extract<AnyUpdate, { $case: UpdateCases[kind] }>
}

/** A subscription under way. It asks the server for as much as its reader takes. */
export interface GeyserSubscription<kind extends FilterKind = FilterKind>
  extends AsyncIterableIterator<GeyserUpdate<kind>, undefined, undefined>, AsyncDisposable {
  /**
   * Puts other filters of the same kinds in the place of those so far, without an interruption. Updates that are on their
   * way still match the old ones.
   *
   * @throws FairleadError `CONFIG_INVALID` when a filter is not valid, or the commitment level is another one
   */
  setFilters(filters: Pick<GeyserFilters, kind | 'commitment' | 'accountsDataSlice'>): void
  /** How far the reader has come; undefined before the first update. */
  readonly checkpoint: Checkpoint | undefined
  return(): Promise<IteratorResult<GeyserUpdate<kind>, undefined>>
}

/**
 * Subscribes to what a Solana node sees, across faults: when the call ends, or nothing arrives any more, it calls again
 * and has the server replay the newest blocks. Every update comes once, and none is missing.
 *
 * What the server no longer has is lost: by default that is the error `STREAM_GAP`. At PROCESSED a slot may turn out to be
 * on a branch that is lost: a `fork` notice says so when 33 blocks have gone on without it. And some servers replay complete
 * blocks only, so that at PROCESSED a call misses the beginning of the block under way. Statuses of slots before the last
 * complete blocks, and of the steps between the levels, are not replayed.
 *
 * @param calls - a client made from `GeyserDefinition`
 * @param filters - what to subscribe to; 64-bit numbers as `bigint`, addresses in base58
 * @param options - where to begin, what to do about faults, where to keep checkpoints
 * @returns an endless sequence of updates; 64-bit fields are `bigint`, bytes are `Uint8Array`
 * @throws FairleadError `CONFIG_INVALID` at once; while it is read `STREAM_GAP`, and `GRPC_STATUS` for a status that
 * another call would not change, for example UNAUTHENTICATED; what a checkpoint store throws
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
  const notify = (notice: GeyserNotice) => tell(options.onNotice, notice)
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
  // Calls of next that wait for their turn; as a rule, there is one.
  let waiting = 0
  let last: Promise<IteratorResult<SubscribeUpdate, undefined>> = Promise.resolve(done)
  const advance = async (): Promise<IteratorResult<SubscribeUpdate, undefined>> => {
    try {
      return ended ? done : { done: false, value: await read() }
    } catch (error) {
      end()
      if (!stop.signal.aborted) throw error
      if (stop.signal.reason !== left) throw stop.signal.reason
      return done
    } finally {
      waiting--
    }
  }
  const leave = async () => {
    stop.abort(left)
    await last.catch(() => {})
    end()
  }

  const subscription = {
    next() {
      last = waiting++ === 0 ? advance() : last.then(advance, advance)
      return last
    },
    async return() {
      await leave()
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
    ...(Symbol.asyncDispose && { [Symbol.asyncDispose]: leave }),
  }
  return subscription as unknown as GeyserSubscription<keyof filters & FilterKind>
}

/** The reason with which a reader leaves, which is no error. */
const left = Symbol('the reader has left')

/** Without filters for the head data of blocks, the subscription adds its own: by them it knows complete blocks. */
function requestOf(filters: GeyserFilters): SubscribeRequest {
  const request = toSubscribeRequest(filters)
  const own = Object.keys(request.blocksMeta).length === 0 ? { [reservedName]: {} } : {}
  return { ...request, blocksMeta: { ...request.blocksMeta, ...own } }
}
