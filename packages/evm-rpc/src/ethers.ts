/* oxlint-disable no-underscore-dangle -- ethers marks with it what subclasses are to use and to override */
/**
 * An ethers provider on Fairlead transports.
 *
 * @module
 */
import { FairleadError } from '@fairlead/core'
import {
  type EventFilter,
  JsonRpcApiProvider,
  type JsonRpcApiProviderOptions,
  type JsonRpcError,
  type JsonRpcPayload,
  type JsonRpcResult,
  type Networkish,
  type Subscriber,
} from 'ethers'
import { type StreamSource, transportOf } from './streams/source.ts'
import { listen } from './streams/subscribe.ts'
import { type LogFilter, type LogPosition, watchLogs } from './streams/watch-logs.ts'
import type { Transport } from './transport.ts'
import { type Outcome, sendAll } from './transports/outcomes.ts'

type ProviderSubscription = Parameters<JsonRpcApiProvider['_getSubscriber']>[0]

/**
 * An ethers provider that calls through a Fairlead client or transport.
 *
 * Calls of the same event-loop tick are sent as a batch if the transport supports it. Blocks, pending transactions and
 * the blocks whose logs are watched come from subscriptions if the transport supports them, and from polling otherwise.
 * Filters, which exist on one node only, are used only for pending transactions without a subscription. `destroy()`
 * leaves the transport open for other users.
 *
 * @example
 * ```ts
 * const provider = new FairleadProvider(evm)
 * const token = new Contract(address, abi, provider)
 * ```
 * @see https://docs.ethers.org/v6/api/providers/jsonrpc/
 */
export class FairleadProvider extends JsonRpcApiProvider {
  readonly #transport: Transport

  /**
   * @param source - a client or a transport
   * @param network - as for every provider of ethers; default: the chain id that the node reports
   * @param options - as for every provider of ethers; `pollingInterval` is in milliseconds
   */
  constructor(source: StreamSource, network?: Networkish, options: JsonRpcApiProviderOptions = {}) {
    const transport = transportOf(source)
    super(network, { ...(transport.batch ? {} : { batchMaxCount: 1 }), ...options })
    this.#transport = transport
    this._start()
  }

  override async _send(
    payload: JsonRpcPayload | JsonRpcPayload[],
  ): Promise<(JsonRpcResult | JsonRpcError)[]> {
    const payloads = Array.isArray(payload) ? payload : [payload]
    const calls = payloads.map(({ method, params }) => ({ method, params: params as readonly unknown[] }))
    const outcomes = await sendAll(this.#transport, calls)
    // A transport failure is thrown, because ethers has no other form for it.
    const [first] = outcomes
    if (first?.status === 'rejected' && outcomes.every(isTransportFailure)) throw first.reason
    return outcomes.map((outcome, index) => {
      const id = payloads[index]?.id ?? 0
      return outcome.status === 'fulfilled'
        ? { id, result: outcome.value }
        : { id, error: errorOf(outcome.reason) }
    })
  }

  override _getSubscriber(subscription: ProviderSubscription): Subscriber {
    const { type } = subscription
    if ((type === 'block' || type === 'pending') && this.#transport.subscribe) {
      return new Pushed(this, this.#transport, type)
    }
    const pollingInterval = this._getOption('pollingInterval') ?? 4_000
    if (subscription.type === 'event') {
      return new WatchedLogs(this, this.#transport, subscription.filter, pollingInterval)
    }
    const subscriber = super._getSubscriber(subscription)
    if ('pollingInterval' in subscriber) Object.assign(subscriber, { pollingInterval })
    return subscriber
  }
}

/** Receives blocks or pending transactions by subscription. */
class Pushed implements Subscriber {
  readonly #provider: FairleadProvider
  readonly #transport: Transport
  readonly #event: 'block' | 'pending'
  #stop: (() => void) | undefined
  #paused = false

  constructor(provider: FairleadProvider, transport: Transport, event: 'block' | 'pending') {
    this.#provider = provider
    this.#transport = transport
    this.#event = event
  }

  start(): void {
    const onData = (payload: unknown): void => {
      if (!this.#paused) void this.#provider.emit(this.#event, payload)
    }
    const onError = (error: unknown): void => void this.#provider.emit('error', error)
    this.#stop ??=
      this.#event === 'pending'
        ? listen(this.#transport, 'newPendingTransactions', undefined, { onData, onError })
        : listen(this.#transport, 'newHeads', undefined, {
            onData: ({ number }) => onData(Number(number)),
            onError,
          })
  }

  stop(): void {
    this.#stop?.()
    this.#stop = undefined
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
  }
}

/**
 * Receives logs block by block. Logs of blocks that are reorged out are not reported, as with the polling of ethers.
 */
class WatchedLogs implements Subscriber {
  readonly #provider: FairleadProvider
  readonly #transport: Transport
  readonly #filter: EventFilter
  readonly #pollingMs: number
  #running: AbortController | undefined
  // Where to resume after a pause that drops no event.
  #from: number | LogPosition | undefined

  constructor(provider: FairleadProvider, transport: Transport, filter: EventFilter, pollingMs: number) {
    this.#provider = provider
    this.#transport = transport
    this.#filter = filter
    this.#pollingMs = pollingMs
  }

  start(): void {
    if (this.#running) return
    const { signal } = (this.#running = new AbortController())
    this.#watch(signal).catch((error: unknown) => {
      if (!signal.aborted) void this.#provider.emit('error', error)
    })
  }

  stop(): void {
    this.#running?.abort()
    this.#running = undefined
    this.#from = undefined
  }

  pause(dropWhilePaused?: boolean): void {
    const from = this.#from
    this.stop()
    if (!dropWhilePaused) this.#from = from
  }

  resume(): void {
    this.start()
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const network = await this.#provider.getNetwork()
    const filter = this.#filter as LogFilter
    const from = this.#from ?? (await this.#provider.getBlockNumber()) + 1
    // Stopped in the meantime: the next start begins from scratch.
    if (signal.aborted) return
    this.#from = from
    for await (const { type, log } of watchLogs(this.#transport, filter, {
      from,
      pollingMs: this.#pollingMs,
      signal,
    })) {
      this.#from = type === 'log' ? log : Number(log.blockNumber)
      if (type === 'log') {
        void this.#provider.emit(this.#filter, this.#provider._wrapLog(log as never, network))
      }
    }
  }
}

function isTransportFailure(outcome: Outcome): boolean {
  return outcome.status === 'rejected' && !isRpcError(outcome.reason)
}

function isRpcError(error: unknown): error is FairleadError<'RPC_ERROR'> {
  return FairleadError.is(error, 'RPC_ERROR')
}

function errorOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (!isRpcError(error)) return { code: -32_603, message: String(error) }
  const { rpcCode: code, detail: message, data } = error.details
  return data === undefined ? { code, message } : { code, message, data }
}
