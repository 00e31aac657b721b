import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { SourceOptions } from './source-options.ts'
import type { Unsubscribe, Subscriber } from './subscriber.ts'
import { guardedTimeout } from '@fairlead/http1'

/** Pending transactions of a node without a WebSocket upstream, from a filter that is polled. */
export class PendingPoll {
  readonly #options: SourceOptions
  readonly #params: readonly unknown[]
  readonly #onEnd: () => void
  readonly #subscribers = new Set<Subscriber>()
  readonly #stopped = new AbortController()
  readonly #started: Promise<void>
  #filter: unknown
  #timer: NodeJS.Timeout | undefined

  /**
   * @param params - params of `eth_newPendingTransactionFilter`
   * @param onEnd - called when the last subscriber has left or the upstream has rejected the filter
   */
  constructor(options: SourceOptions, params: readonly unknown[], onEnd: () => void) {
    this.#options = options
    this.#params = params
    this.#onEnd = onEnd
    this.#started = this.#start()
  }

  /** @throws {@link RpcError} with the upstream's error, or when it cannot be reached */
  async join(subscriber: Subscriber): Promise<Unsubscribe> {
    this.#subscribers.add(subscriber)
    const unsubscribe = () => {
      if (!this.#subscribers.delete(subscriber) || this.#subscribers.size > 0) return
      this.stop()
      this.#onEnd()
    }
    try {
      await this.#started
      return unsubscribe
    } catch (error) {
      unsubscribe()
      throw error
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    if (!this.#stopped.signal.aborted) this.#uninstall()
    this.#stopped.abort()
  }

  async #start(): Promise<void> {
    this.#filter = await this.#call('eth_newPendingTransactionFilter', this.#params)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#stopped.signal.aborted) return
    this.#timer = guardedTimeout(
      () => void this.#poll().finally(() => this.#schedule()),
      this.#options.pollMs,
    )
  }

  async #poll(): Promise<void> {
    try {
      // Creates the filter again if the upstream has lost it, for example after a restart.
      this.#filter ??= await this.#call('eth_newPendingTransactionFilter', this.#params)
      const changes = await this.#call('eth_getFilterChanges', [this.#filter])
      for (const change of Array.isArray(changes) ? (changes as unknown[]) : []) {
        const text = JSON.stringify(change)
        for (const subscriber of this.#subscribers) subscriber.deliver(text)
      }
    } catch (error) {
      // A failed exchange does not mean that the filter is lost, and the upstream would retain an abandoned filter.
      if (error instanceof UpstreamError || this.#stopped.signal.aborted) return
      this.#uninstall()
    }
  }

  #uninstall(): void {
    const filter = this.#filter
    this.#filter = undefined
    if (filter === undefined) return
    const { upstream, timeoutMs } = this.#options
    upstream.call('eth_uninstallFilter', [filter], AbortSignal.timeout(timeoutMs)).catch(() => undefined)
  }

  #call(method: string, params: readonly unknown[]): Promise<unknown> {
    const signal = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(this.#options.timeoutMs)])
    return this.#options.upstream.call(method, params, signal)
  }
}
