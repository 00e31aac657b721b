import { SubscribeRequest } from '@fairlead/grpc/geyser'
import { GrpcError, Status, type ServerStream } from '@fairlead/grpc-transport'
import type { SolanaChain } from '../../../chain/solana-chain.ts'
import { FilterError } from '../filter/filter-error.ts'
import { readStreamFilter, type StreamFilter } from '../filter/stream-filter.ts'
import { frameWithoutNames } from '../update/shared-frame.ts'
import type { Update } from '../update/update.ts'
import { replayUpdates, type Broadcast } from './broadcast.ts'
import { createSendQueue, type SendQueueLimits } from './send-queue.ts'

/** Options of the streams. */
export interface SubscriptionOptions {
  /** Interval between two pings of the server. */
  readonly pingMs: number
  /** Limits of the queue for a subscriber that reads slowly. */
  readonly limits: SendQueueLimits
}

/**
 * Serves a stream of updates until the client ends it. The latest request determines the updates; the server responds
 * to pings of the client, and sends its own.
 *
 * @param stream the call
 * @param chain source of replays
 * @param broadcast source of new updates
 * @throws GrpcError INVALID_ARGUMENT for an invalid filter, OUT_OF_RANGE for a slot that is no longer stored, INTERNAL
 * for a client that reads too slowly
 */
export async function serveSubscription(
  stream: ServerStream,
  chain: SolanaChain,
  broadcast: Broadcast,
  { pingMs, limits }: SubscriptionOptions,
): Promise<void> {
  const sendQueue = createSendQueue(limits)
  let filter: StreamFilter | undefined
  let fail: (error: unknown) => void = () => undefined
  const failed = new Promise<never>((_resolve, reject) => {
    fail = reject
  })

  const failIfFull = (isAccepted: boolean): void => {
    if (!isAccepted) fail(new GrpcError(Status.INTERNAL, 'lagged to send an update'))
  }
  const removeListener = broadcast.join({
    get commitment() {
      return filter?.commitment
    },
    onUpdate: (update) => {
      for (const frame of filter?.framesOf(update) ?? []) failIfFull(sendQueue.push(frame))
    },
  })
  const pings = setInterval(() => failIfFull(sendQueue.pushFirst(frameWithoutNames(ping))), pingMs)
  stream.signal.addEventListener('abort', () => fail(stream.signal.reason), { once: true })

  const read = async (): Promise<void> => {
    while (await stream.readable()) {
      const latest = readLatest(stream, (id) =>
        failIfFull(sendQueue.pushFirst(frameWithoutNames({ $case: 'pong', value: { id } }))),
      )
      if (latest === undefined) continue
      filter = readFilter(latest)
      sendQueue.pushLazily(replay(chain, filter))
    }
    // A client that has closed its sending side still receives updates.
  }
  const write = async (): Promise<void> => {
    while (!stream.hasEnded) {
      const frame = sendQueue.shift()
      if (frame === undefined) await sendQueue.filled()
      else if (!stream.write(frame)) await stream.drained()
    }
  }
  read().catch((error: unknown) => fail(error))
  try {
    await Promise.race([failed, write()])
  } finally {
    removeListener()
    clearInterval(pings)
    sendQueue.clear()
  }
}

const ping = { $case: 'ping', value: {} } as const

// Of several pending requests only the latest is used.
function readLatest(stream: ServerStream, respondToPing: (id: number) => void): SubscribeRequest | undefined {
  let latest: SubscribeRequest | undefined
  for (let bytes = stream.read(); bytes !== undefined; bytes = stream.read()) {
    const request = decode(bytes)
    if (request.ping === undefined) latest = request
    else respondToPing(request.ping.id)
  }
  return latest
}

function decode(bytes: Uint8Array): SubscribeRequest {
  try {
    return SubscribeRequest.decode(bytes)
  } catch (cause) {
    throw new GrpcError(Status.INTERNAL, 'a request cannot be decoded', {}, { cause })
  }
}

function readFilter(request: SubscribeRequest): StreamFilter {
  try {
    return readStreamFilter(request)
  } catch (error) {
    if (!(error instanceof FilterError)) throw error
    throw new GrpcError(Status.INVALID_ARGUMENT, `failed to create filter: ${error.message}`)
  }
}

function replay(chain: SolanaChain, filter: StreamFilter): Iterable<Uint8Array> {
  const { fromSlot, commitment } = filter
  if (fromSlot === undefined) return []
  const oldest = chain.firstAvailableSlot
  if (fromSlot < oldest)
    throw new GrpcError(
      Status.OUT_OF_RANGE,
      `broadcast from ${fromSlot} is not available, last available: ${oldest}`,
    )
  return framesOf(filter, replayUpdates(chain, fromSlot, commitment))
}

function* framesOf(filter: StreamFilter, updates: Iterable<Update>): Generator<Uint8Array> {
  for (const update of updates) yield* filter.framesOf(update)
}
