import { FairleadError } from '@fairlead/core'
import type { Subscriptions } from '../generated/index.ts'
import { callListener } from '../call-listener.ts'
import type { Subscription, SubscriptionListener, Transport } from '../transport.ts'
import { type BufferOptions, createQueue } from './queue.ts'
import { type StreamSource, transportOf } from './source.ts'
import type { Stream } from './stream.ts'

/** A kind of subscription. */
export type SubscriptionKind = keyof Subscriptions

/** Options of {@link subscribe}. */
export interface SubscribeOptions {
  /** Ends the subscription, and the stream after its buffered items. */
  readonly signal?: AbortSignal | undefined
  /** Buffer for a slow reader. A node does not wait, so a policy applies when it is full. */
  readonly buffer?: BufferOptions | undefined
  /** The node has accepted the subscription: events from now on are delivered. */
  readonly onSubscribed?: (() => void) | undefined
  /** The connection broke and the subscription is active again; notifications in between are missing. */
  readonly onResumed?: (() => void) | undefined
}

/** Callbacks of a subscription of {@link listen}. */
export interface SubscriptionHandlers<notification> {
  readonly onData: (notification: notification) => void
  /** The subscription could not begin or has ended; no more notifications follow. */
  readonly onError: (error: unknown) => void
  /** As in {@link SubscribeOptions}. */
  readonly onSubscribed?: (() => void) | undefined
  /** As in {@link SubscribeOptions}. */
  readonly onResumed?: (() => void) | undefined
}

/**
 * Subscribes to notifications of the node and returns them as a stream.
 *
 * The subscription begins with the call, and ends when the reader stops or the signal aborts. After a lost connection
 * it resumes with a gap; `watchBlocks` and `watchLogs` close such gaps.
 *
 * @param source - a client or transport with a persistent connection
 * @param kind - the kind of subscription
 * @param options - options of the kind, such as a log filter
 * @param settings - signal and buffer
 * @returns the notifications in their JSON-RPC encoding
 * @throws FairleadError `CONFIG_INVALID` when the transport does not support subscriptions. While it is read:
 *   `STREAM_OVERFLOW`, and the error that ended the subscription
 * @example
 * ```ts
 * for await (const log of subscribe(evm, 'logs', { address: token })) console.log(log.transactionHash)
 * ```
 * @see specs/evm/openrpc.yaml, eth_subscribe
 */
export function subscribe<kind extends SubscriptionKind>(
  source: StreamSource,
  kind: kind,
  options?: Subscriptions[kind]['options'],
  settings: SubscribeOptions = {},
): Stream<Subscriptions[kind]['notification']> {
  const { signal, buffer, onSubscribed, onResumed } = settings
  const transport = subscriber(source)
  const stopStream = () => {
    signal?.removeEventListener('abort', stopStream)
    queue.end()
    stop()
  }
  const queue = createQueue<Subscriptions[kind]['notification']>(`eth_subscribe ${kind}`, buffer, () =>
    stopStream(),
  )
  if (signal?.aborted) {
    queue.end()
    return queue
  }
  const stop = open(transport, paramsOf(kind, options), {
    subscribed: () => onSubscribed?.(),
    next: (result) => queue.push(result as Subscriptions[kind]['notification']),
    resumed: () => onResumed?.(),
    error: (error) => queue.fail(error),
  })
  signal?.addEventListener('abort', stopStream)
  return queue
}

/**
 * Subscribes to notifications of the node and passes them to callbacks.
 *
 * @param source - a client or transport with a persistent connection
 * @param kind - the kind of subscription
 * @param options - options of the kind, such as a log filter
 * @param handlers - callbacks for the notifications, the end, and gaps
 * @returns a function that ends the subscription; no callback is called after it
 * @throws FairleadError `CONFIG_INVALID` when the transport does not support subscriptions
 * @example
 * ```ts
 * const stop = listen(evm, 'newHeads', undefined, { onData: (head) => show(head.number), onError: report })
 * ```
 * @see specs/evm/openrpc.yaml, eth_subscribe
 */
export function listen<kind extends SubscriptionKind>(
  source: StreamSource,
  kind: kind,
  options: Subscriptions[kind]['options'] | undefined,
  handlers: SubscriptionHandlers<Subscriptions[kind]['notification']>,
): () => void {
  return open(subscriber(source), paramsOf(kind, options), {
    subscribed: () => handlers.onSubscribed?.(),
    next: (result) => handlers.onData(result as Subscriptions[kind]['notification']),
    resumed: () => handlers.onResumed?.(),
    error: (error) => handlers.onError(error),
  })
}

type Subscriber = Transport & Required<Pick<Transport, 'subscribe'>>

function subscriber(source: StreamSource): Subscriber {
  const transport = transportOf(source)
  if (transport.subscribe) return transport as Subscriber
  throw new FairleadError('CONFIG_INVALID', {
    option: 'transport',
    rule: 'must have a lasting connection to subscribe on, as webSocket has',
  })
}

function paramsOf(kind: string, options: unknown): unknown[] {
  return options === undefined ? [kind] : [kind, options]
}

// The subscription can be stopped at any time, also before it is established.
function open(
  transport: Subscriber,
  params: readonly unknown[],
  listener: Required<SubscriptionListener> & { subscribed(): void },
): () => void {
  let stopped = false
  let running: Subscription | undefined
  const release = (subscription: Subscription | undefined) => void subscription?.unsubscribe().catch(() => {})
  const unlessStopped =
    <values extends unknown[]>(callback: (...values: values) => void) =>
    (...values: values) => {
      if (!stopped) callback(...values)
    }
  const onFailure = unlessStopped((error: unknown) => {
    stopped = true
    listener.error(error)
  })
  const begin = async () => {
    try {
      const subscription = await transport.subscribe(params, {
        next: unlessStopped((result) => listener.next(result)),
        resumed: unlessStopped(() => listener.resumed()),
        error: onFailure,
      })
      if (stopped) release(subscription)
      else {
        running = subscription
        callListener(() => listener.subscribed())
      }
    } catch (error) {
      onFailure(error)
    }
  }
  void begin()
  return () => {
    stopped = true
    release(running)
    running = undefined
  }
}
