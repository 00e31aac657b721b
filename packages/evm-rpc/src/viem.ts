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

/** Options of {@link fairleadTransport}. */
export interface FairleadTransportOptions {
  /** Name in the messages of viem. Default `Fairlead`. */
  readonly name?: string | undefined
  readonly key?: string | undefined
  /**
   * How often viem retries a request. Default 0, because the transports retry themselves, and never retry a call that
   * changes state.
   */
  readonly retryCount?: number | undefined
}

/** The `subscribe` function that viem's actions use; it has the shape of viem's own `webSocket`. */
export interface ViemSubscriptions {
  subscribe(args: {
    params: readonly unknown[]
    onData(data: { readonly subscription: Hash; readonly result: unknown }): void
    onError?: ((error: unknown) => void) | undefined
  }): Promise<{ subscriptionId: Hash; unsubscribe(): Promise<unknown> }>
}

/**
 * Creates a viem transport that calls through a Fairlead client or transport.
 *
 * Errors are converted to those of viem, so that its actions recognize reverts and codes; they contain no URL. If the
 * transport supports subscriptions, viem's `watch…` actions use them instead of polling.
 *
 * @param source - a client or a transport
 * @param options - name, key and retries of viem
 * @returns a transport for `createPublicClient` and similar functions
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
  // viem's actions choose between subscriptions and polling by this type.
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
      // The id of the node changes with every new connection; viem only passes this one back.
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

// viem's errors require a URL to show; this value contains no secret.
const url = ''

function viemError(
  error: unknown,
  call: { method: string; params?: readonly unknown[] | undefined },
): unknown {
  const body = { ...call }
  if (FairleadError.is(error, 'RPC_ERROR')) {
    const { rpcCode: code, detail: message, data } = error.details
    return new RpcRequestError({ body, url, error: { code, message, data } })
  }
  if (FairleadError.is(error, 'TRANSPORT_TIMEOUT')) return new TimeoutError({ body, url })
  if (FairleadError.is(error, 'TRANSPORT_CLOSED')) return new SocketClosedError({ url })
  if (FairleadError.is(error, 'HTTP_STATUS')) {
    const { status, detail } = error.details
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
