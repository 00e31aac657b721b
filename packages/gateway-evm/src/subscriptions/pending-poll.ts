import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { SourceOptions } from './source-options.ts'
import type { Leave, Subscriber } from './subscriber.ts'
import { guardedTimeout } from '@fairlead/http1'

/** The pending transactions of a node that has no WebSocket: its filter, asked again and again. */
export class PendingPoll {
  readonly #options: SourceOptions
  readonly #params: readonly unknown[]
  readonly #ended: () => void
  readonly #subscribers = new Set<Subscriber>()
  readonly #stopped = new AbortController()
  readonly #started: Promise<void>
  #filter: unknown
  #timer: NodeJS.Timeout | undefined

  /**
   * @param params - of `eth_newPendingTransactionFilter`
   * @param ended - called when nobody shares it any more or the node has refused it
   */
  constructor(options: SourceOptions, params: readonly unknown[], ended: () => void) {
    this.#options = options
    this.#params = params
    this.#ended = ended
    this.#started = this.#start()
  }

  /** @throws {@link RpcError} with the node's own refusal, or when it cannot be reached */
  async join(subscriber: Subscriber): Promise<Leave> {
    this.#subscribers.add(subscriber)
    const leave = () => {
      if (!this.#subscribers.delete(subscriber) || this.#subscribers.size > 0) return
      this.stop()
      this.#ended()
    }
    try {
      await this.#started
      return leave
    } catch (error) {
      leave()
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
    this.#again()
  }

  #again(): void {
    if (this.#stopped.signal.aborted) return
    this.#timer = guardedTimeout(() => void this.#look().finally(() => this.#again()), this.#options.pollMs)
  }

  async #look(): Promise<void> {
    try {
      // A filter that the node has forgotten, as after a restart, is made again.
      this.#filter ??= await this.#call('eth_newPendingTransactionFilter', this.#params)
      const changes = await this.#call('eth_getFilterChanges', [this.#filter])
      for (const change of Array.isArray(changes) ? (changes as unknown[]) : []) {
        const text = JSON.stringify(change)
        for (const subscriber of this.#subscribers) subscriber.deliver(text)
      }
    } catch (error) {
      // A failed exchange says nothing about the filter, and the node would keep one that is given up for another.
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
