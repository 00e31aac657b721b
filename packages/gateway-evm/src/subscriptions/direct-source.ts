import type { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import { malformed } from '../upstream/rpc-errors.ts'
import type { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import type { WebSocketUpstream } from '../upstream/websocket-upstream.ts'
import type { Unsubscribe, Subscriber } from './subscriber.ts'

/**
 * Forwards the notifications of one upstream subscription to all subscribers. Notifications during a lost connection
 * are missed.
 */
export class DirectSource {
  readonly #subscribers = new Set<Subscriber>()
  readonly #onEnd: () => void
  readonly #accepted: Promise<void>
  readonly #end: () => void

  /**
   * @param params - params of `eth_subscribe`
   * @param onEnd - called when the last subscriber has left or the upstream has rejected the subscription
   */
  constructor(socket: WebSocketUpstream, params: readonly unknown[], onEnd: () => void) {
    this.#onEnd = onEnd
    let resolve!: () => void
    let reject!: (failure: RpcError | UpstreamError) => void
    this.#accepted = new Promise<void>((...settle) => ([resolve, reject] = settle))
    let wasAccepted = false
    const fail = (failure: RpcError | UpstreamError) => {
      reject(failure)
      this.#close()
      if (!wasAccepted) return
      for (const subscriber of this.#subscribers) subscriber.overflow('the upstream ended the subscription')
    }
    const subscription = socket.subscribe(params, {
      onLive: () => {
        wasAccepted = true
        resolve()
      },
      onResult: (result) => {
        const text = jsonOf(result)
        if (text === undefined) return fail(malformed())
        for (const subscriber of this.#subscribers) subscriber.deliver(text)
      },
      onFailure: (failure, willRetry) => {
        if (!wasAccepted || !willRetry) fail(failure)
      },
    })
    this.#end = () => subscription.end()
  }

  /** @throws {@link RpcError} with the upstream's error, or when it cannot be reached */
  async join(subscriber: Subscriber): Promise<Unsubscribe> {
    this.#subscribers.add(subscriber)
    const unsubscribe = () => {
      if (this.#subscribers.delete(subscriber) && this.#subscribers.size === 0) this.#close()
    }
    try {
      await this.#accepted
      return unsubscribe
    } catch (error) {
      unsubscribe()
      throw error
    }
  }

  stop(): void {
    this.#end()
  }

  #close(): void {
    this.#end()
    this.#onEnd()
  }
}

// A parsed value may be nested too deeply to be serialized, or be undefined.
function jsonOf(result: unknown): string | undefined {
  try {
    return JSON.stringify(result)
  } catch {
    return undefined
  }
}
