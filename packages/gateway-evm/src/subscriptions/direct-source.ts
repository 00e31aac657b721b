import type { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { malformed } from '../response/rpc-errors.ts'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import type { WebSocketUpstream } from '../upstream/websocket-upstream.ts'
import type { PendingPoll } from './pending-poll.ts'
import type { Subscriber } from './subscriber.ts'

/** Starts polls in place of an upstream subscription. */
export type StartPoll = (onResult: (result: unknown) => void) => PendingPoll

const endedByUpstream = 'the upstream ended the subscription'

/**
 * Forwards the notifications of one upstream subscription to all subscribers. Notifications during a lost connection
 * are missed.
 */
export class DirectSource {
  readonly #subscribers = new Set<Subscriber>()
  readonly #onEnd: () => void
  readonly #startPoll: StartPoll | undefined
  readonly #accepted: Promise<void>
  #accept!: () => void
  #reject!: (failure: RpcError | UpstreamError) => void
  readonly #endSubscription: () => void
  #wasAccepted = false
  /** Polls while the node has no WebSocket upstream. */
  #poll: PendingPoll | undefined

  /**
   * @param params - params of `eth_subscribe`
   * @param onEnd - called when the last subscriber has left or the upstream has rejected the subscription
   * @param startPoll - without it, the subscription ends while the node has no WebSocket upstream
   */
  constructor(
    socket: WebSocketUpstream,
    params: readonly unknown[],
    onEnd: () => void,
    startPoll?: StartPoll,
  ) {
    this.#onEnd = onEnd
    this.#startPoll = startPoll
    this.#accepted = new Promise<void>((resolve, reject) => {
      this.#accept = () => {
        this.#wasAccepted = true
        resolve()
      }
      this.#reject = reject
    })
    const subscription = socket.subscribe(params, {
      onLive: () => {
        this.#stopPoll()
        this.#accept()
      },
      onResult: (result) => this.#deliver(result),
      onFailure: (failure, willRetry) => {
        if (this.#poll) return
        if (!socket.hasTargets) this.#beginPoll(params)
        else if (!this.#wasAccepted || !willRetry) this.#fail(failure)
      },
    })
    this.#endSubscription = () => subscription.end()
  }

  /** @throws {@link RpcError} with the upstream's error, or when it cannot be reached */
  async join(subscriber: Subscriber): Promise<DirectMembership> {
    const membership = new DirectMembership(subscriber)
    await membership.join(this)
    return membership
  }

  /**
   * Adds a subscriber. Delivery may begin before the promise resolves.
   *
   * @throws {@link RpcError} with the upstream's error, or when it cannot be reached
   */
  add(subscriber: Subscriber): Promise<void> {
    this.#subscribers.add(subscriber)
    return this.#accepted
  }

  remove(subscriber: Subscriber): void {
    if (this.#subscribers.delete(subscriber) && this.#subscribers.size === 0) this.#close()
  }

  stop(): void {
    this.#stopPoll()
    this.#endSubscription()
  }

  #beginPoll(params: readonly unknown[]): void {
    if (!this.#startPoll) return this.#fail(withoutSocket(params))
    const poll = this.#startPoll((result) => this.#deliver(result))
    this.#poll = poll
    const isCurrent = () => this.#poll === poll
    poll.started.then(
      () => isCurrent() && this.#accept(),
      (failure: RpcError | UpstreamError) => isCurrent() && this.#fail(failure),
    )
  }

  #stopPoll(): void {
    this.#poll?.stop()
    this.#poll = undefined
  }

  #deliver(result: unknown): void {
    const text = jsonOf(result)
    if (text === undefined) return this.#fail(malformed())
    for (const subscriber of this.#subscribers) subscriber.deliver(text)
  }

  #fail(failure: RpcError | UpstreamError): void {
    this.#reject(failure)
    this.#close()
    if (!this.#wasAccepted) return
    for (const subscriber of this.#subscribers) subscriber.overflow(endedByUpstream)
  }

  #close(): void {
    this.stop()
    this.#onEnd()
  }
}

/** A subscriber's place in a source, which can change. */
export class DirectMembership {
  readonly #subscriber: Subscriber
  #source: DirectSource | undefined

  constructor(subscriber: Subscriber) {
    this.#subscriber = subscriber
  }

  /** @throws {@link RpcError} with the upstream's error, or when it cannot be reached */
  async join(source: DirectSource): Promise<void> {
    this.#source = source
    try {
      await source.add(this.#subscriber)
    } catch (error) {
      source.remove(this.#subscriber)
      throw error
    }
  }

  leave(): void {
    this.#source?.remove(this.#subscriber)
    this.#source = undefined
  }

  /** Continues in another source. When its upstream rejects the subscription, it ends. */
  moveTo(source: DirectSource): void {
    if (!this.#source || this.#source === source) return
    this.leave()
    this.join(source).catch(() => {
      if (this.#source === source) this.#subscriber.overflow(endedByUpstream)
    })
  }
}

function withoutSocket([kind]: readonly unknown[]): RpcError {
  return new RpcError(
    rpcCodes.methodNotFound,
    `A subscription to ${String(kind)} requires a WebSocket upstream, and this node has none.`,
  )
}

// A parsed value may be nested too deeply to be serialized, or be undefined.
function jsonOf(result: unknown): string | undefined {
  try {
    return JSON.stringify(result)
  } catch {
    return undefined
  }
}
