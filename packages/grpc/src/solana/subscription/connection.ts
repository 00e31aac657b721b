import type { Metadata } from '@fairlead/grpc-transport/wire'
import type {
  SubscribeReplayInfoRequest,
  SubscribeReplayInfoResponse,
  SubscribeRequest,
  SubscribeUpdate,
} from '../../generated/geyser.ts'
import { type Fault, faultOf, localFault } from './fault.ts'
import { createSendQueue } from './send-queue.ts'

/** The methods that a subscription uses of a client created from `GeyserDefinition`. */
export interface GeyserCalls {
  subscribe(
    requests: AsyncIterable<SubscribeRequest>,
    options: GeyserCallOptions,
  ): AsyncIterable<SubscribeUpdate>
  subscribeReplayInfo(
    request: SubscribeReplayInfoRequest,
    options: GeyserCallOptions,
  ): Promise<SubscribeReplayInfoResponse>
}

/** Options that a subscription passes to each call of the client. */
export interface GeyserCallOptions {
  readonly signal: AbortSignal
  readonly metadata?: Metadata | undefined
}

/** Keep-alive and monitoring of a call. */
export interface ConnectionOptions {
  readonly metadata: Metadata | undefined
  readonly duplex: boolean
  readonly pingMs: number
  readonly silentMs: number
  readonly signal: AbortSignal
}

/** One call of Subscribe. */
export interface Connection {
  /** Waits for the next update, including pings; undefined when the call has ended. */
  read(): Promise<SubscribeUpdate | undefined>
  /** Why the call has ended. */
  readonly fault: Fault
  /** Replaces the filters. */
  subscribe(request: SubscribeRequest): void
  close(): void
}

export function openConnection(
  calls: GeyserCalls,
  first: SubscribeRequest,
  { metadata, duplex, pingMs, silentMs, signal }: ConnectionOptions,
): Connection {
  const sendQueue = createSendQueue(first, duplex)
  const call = new AbortController()
  let fault = localFault('the server has ended the stream')
  let closed = false
  let iterator: AsyncIterator<SubscribeUpdate> | undefined
  let readStartedAt = 0
  let reading = false
  let arrived = false
  let next: SubscribeRequest | undefined

  const begin = () => {
    const updates = calls.subscribe(sendQueue.requests, { signal: call.signal, metadata })
    return updates[Symbol.asyncIterator]()
  }
  const cancel = () => call.abort(signal.reason)
  const close = (): undefined => {
    if (closed) return
    closed = true
    clearInterval(pingTimer)
    clearTimeout(activityTimer)
    signal.removeEventListener('abort', cancel)
    sendQueue.close()
    call.abort()
    void Promise.resolve(iterator?.return?.()).catch(() => {})
  }
  // Inactivity counts only during a read: a slow reader is not a fault of the server.
  const checkActivity = () => {
    const waitedMs = reading ? performance.now() - readStartedAt : 0
    if (waitedMs < silentMs) {
      activityTimer = setTimeout(checkActivity, silentMs - waitedMs)
      return
    }
    fault = localFault(`nothing has arrived for ${silentMs} ms`)
    call.abort(fault.error)
  }
  let activityTimer = setTimeout(checkActivity, silentMs)
  const pingTimer = duplex ? setInterval(() => sendQueue.ping(), pingMs) : undefined
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel)

  const receive = ({ done, value }: IteratorResult<SubscribeUpdate>) => {
    reading = false
    if (done) return close()
    arrived = true
    if (next) sendQueue.subscribe(next)
    next = undefined
    if (value.updateOneof?.$case === 'ping') sendQueue.ping()
    return value
  }
  const fail = (error: unknown) => {
    if (!call.signal.aborted) fault = faultOf(error)
    close()
    return undefined
  }

  return {
    read() {
      if (closed) return Promise.resolve(undefined)
      reading = true
      readStartedAt = performance.now()
      try {
        iterator ??= begin()
        // An async function would double the cost of each update.
        return iterator.next().then(receive, fail)
      } catch (error) {
        return Promise.resolve(fail(error))
      }
    },
    get fault() {
      return fault
    },
    subscribe(request) {
      // The server reads only the latest of several waiting requests, and so might miss the slot to replay from.
      if (first.fromSlot !== undefined && !arrived) next = request
      else sendQueue.subscribe(request)
    },
    close,
  }
}
