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

type ProviderSubscription = Parameters<JsonRpcApiProvider['_getSubscriber']>[0]

/**
 * An ethers provider that calls through a Fairlead client or transport.
 *
 * Calls of one moment travel as a batch where the transport can. Events come by pushed blocks where it can subscribe, and
 * by polling elsewhere; filters that live in one node are not used. `destroy()` leaves the transport open for others.
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
   * @param network - as for every provider of ethers; asked for when left out
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
    const [only] = calls
    const outcomes =
      this.#transport.batch && calls.length > 1
        ? await this.#transport.batch(calls)
        : await Promise.allSettled(calls.map((call) => this.#transport.request(call)))
    // A failure of the way there is thrown, as ethers knows no other form for it.
    const [first] = outcomes
    if (only && outcomes.length === 1 && first?.status === 'rejected' && !isRpcError(first.reason))
      throw first.reason
    return outcomes.map((outcome, index) => {
      const id = payloads[index]?.id ?? 0
      return outcome.status === 'fulfilled'
        ? { id, result: outcome.value }
        : { id, error: errorOf(outcome.reason) }
    })
  }

  override _getSubscriber(subscription: ProviderSubscription): Subscriber {
    if (subscription.type === 'block' && this.#transport.subscribe) {
      return new PushedBlocks(this, this.#transport)
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

/** Hears of blocks by subscription. */
class PushedBlocks implements Subscriber {
  readonly #provider: FairleadProvider
  readonly #transport: Transport
  #stop: (() => void) | undefined
  #paused = false

  constructor(provider: FairleadProvider, transport: Transport) {
    this.#provider = provider
    this.#transport = transport
  }

  start(): void {
    this.#stop ??= listen(this.#transport, 'newHeads', undefined, {
      onData: ({ number }) => {
        if (!this.#paused) void this.#provider.emit('block', Number(number))
      },
      onError: (error) => void this.#provider.emit('error', error),
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

/** Hears of logs block by block. Those that leave the chain are not told, as with the polling of ethers. */
class WatchedLogs implements Subscriber {
  readonly #provider: FairleadProvider
  readonly #transport: Transport
  readonly #filter: EventFilter
  readonly #pollingMs: number
  #running: AbortController | undefined
  // Where to go on after a pause that drops nothing.
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
    const from = (this.#from ??= (await this.#provider.getBlockNumber()) + 1)
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

function isRpcError(error: unknown): error is FairleadError<'RPC_ERROR'> {
  return FairleadError.is(error, 'RPC_ERROR')
}

function errorOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (!isRpcError(error)) return { code: -32_603, message: String(error) }
  const { rpcCode: code, detail: message, data } = error.context
  return data === undefined ? { code, message } : { code, message, data }
}
