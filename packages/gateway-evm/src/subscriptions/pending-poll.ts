import { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'
import type { SourceOptions } from './source-options.ts'
import { guardedTimeout } from '@fairlead/runtime'

/** Options of {@link PendingPoll}. */
export type PendingPollOptions = Pick<SourceOptions, 'upstream' | 'pollMs' | 'timeoutMs'>

/** Pending transactions of a node without a WebSocket upstream, from a filter that is polled. */
export class PendingPoll {
  /** Rejects with {@link RpcError} for the upstream's error, or {@link UpstreamError} when it does not respond. */
  readonly started: Promise<void>
  readonly #options: PendingPollOptions
  readonly #params: readonly unknown[]
  readonly #onResult: (result: unknown) => void
  readonly #stopped = new AbortController()
  #filter: unknown
  #timer: NodeJS.Timeout | undefined

  /**
   * @param params - params of `eth_newPendingTransactionFilter`
   * @param onResult - receives each transaction, or its hash
   */
  constructor(options: PendingPollOptions, params: readonly unknown[], onResult: (result: unknown) => void) {
    this.#options = options
    this.#params = params
    this.#onResult = onResult
    this.started = this.#start()
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
        if (this.#stopped.signal.aborted) return
        this.#onResult(change)
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
