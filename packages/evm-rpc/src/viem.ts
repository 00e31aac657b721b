/**
 * Fairlead transports for viem.
 *
 * @module
 */
import { FairleadError } from '@fairlead/core'
import {
  createTransport,
  type Hash,
  HttpRequestError,
  RpcRequestError,
  SocketClosedError,
  TimeoutError,
  type Transport as ViemTransport,
} from 'viem'
import { type StreamSource, transportOf } from './streams/source.ts'
import type { Transport } from './transport.ts'

/** Settings of {@link fairleadTransport}. */
export interface FairleadTransportOptions {
  /** Name for viem's messages. Default `Fairlead`. */
  readonly name?: string | undefined
  readonly key?: string | undefined
  /**
   * How often viem sends a request again. Default 0, as the transports do so by themselves, and never for what changes
   * something.
   */
  readonly retryCount?: number | undefined
}

/** What viem's actions subscribe with; the shape is that of viem's own `webSocket`. */
export interface ViemSubscriptions {
  subscribe(args: {
    params: readonly unknown[]
    onData(data: { readonly subscription: Hash; readonly result: unknown }): void
    onError?: ((error: unknown) => void) | undefined
  }): Promise<{ subscriptionId: Hash; unsubscribe(): Promise<unknown> }>
}

/**
 * Makes a viem transport that calls through a Fairlead client or transport.
 *
 * Errors become those of viem, so that its actions recognise reverts and codes; they hold no address. Where the transport
 * can subscribe, viem's `watch…` actions are pushed to instead of polling.
 *
 * @param source - a client or a transport
 * @param options - name, key and retries of viem
 * @returns a transport for `createPublicClient` and the like
 * @example
 * ```ts
 * const client = createPublicClient({ transport: fairleadTransport(evm) })
 * const block = await client.getBlock()
 * ```
 * @see https://viem.sh/docs/clients/custom
 */
export function fairleadTransport(
  source: StreamSource,
  options: FairleadTransportOptions = {},
): ViemTransport<string, Partial<ViemSubscriptions>> {
  const { name = 'Fairlead', key = 'fairlead', retryCount = 0 } = options
  const transport = transportOf(source)
  const request = async (
    { method, params }: { method: string; params?: unknown },
    callOptions?: { signal?: AbortSignal | undefined },
  ): Promise<never> => {
    const call = { method, params: params as readonly unknown[] | undefined }
    try {
      return (await transport.request(call, callOptions)) as never
    } catch (error) {
      throw viemError(error, call)
    }
  }
  // By this type viem's actions decide between pushing and polling.
  const type = transport.subscribe ? 'webSocket' : 'fairlead'
  return () =>
    createTransport<string, Partial<ViemSubscriptions>>(
      { key, name, type, retryCount, request },
      transport.subscribe ? subscriptionsOf(transport) : {},
    )
}

function subscriptionsOf(transport: Transport): ViemSubscriptions {
  let count = 0
  return {
    async subscribe({ params, onData, onError }) {
      // The id on the wire changes with every new connection; viem only ever hands this one back.
      const subscriptionId: Hash = `0x${(++count).toString(16)}`
      const errorOf = (error: unknown) => viemError(error, { method: 'eth_subscribe', params })
      try {
        const subscription = await transport.subscribe?.(params, {
          next: (result) => onData({ subscription: subscriptionId, result }),
          error: (error) => onError?.(errorOf(error)),
        })
        return { subscriptionId, unsubscribe: async () => subscription?.unsubscribe() }
      } catch (error) {
        throw errorOf(error)
      }
    },
  }
}

// viem's errors ask for an address to show; what stands here tells no secret.
const url = ''

function viemError(
  error: unknown,
  call: { method: string; params?: readonly unknown[] | undefined },
): unknown {
  const body = { ...call }
  if (FairleadError.is(error, 'RPC_ERROR')) {
    const { rpcCode: code, detail: message, data } = error.context
    return new RpcRequestError({ body, url, error: { code, message, data } })
  }
  if (FairleadError.is(error, 'TRANSPORT_TIMEOUT')) return new TimeoutError({ body, url })
  if (FairleadError.is(error, 'TRANSPORT_CLOSED')) return new SocketClosedError({ url })
  if (FairleadError.is(error, 'HTTP_STATUS')) {
    const { status, detail } = error.context
    return new HttpRequestError({
      body,
      url,
      status,
      cause: error,
      ...(detail === undefined ? {} : { details: detail }),
    })
  }
  if (FairleadError.is(error))
    return new HttpRequestError({ body, url, cause: error, details: error.message })
  return error
}
