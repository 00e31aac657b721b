import type { CallOptions } from '@fairlead/core'
import type { EvmRequest, MethodName, MethodParams, MethodResult } from './method-types.ts'
import type { Transport } from './transport.ts'
import { http, type HttpTransportOptions } from './transports/http.ts'

/** Options for a connection to a node over HTTP. */
export interface EvmClientOptions extends HttpTransportOptions {}

/** Calls the JSON-RPC methods of one node. */
export interface EvmClient {
  /**
   * Calls one method.
   *
   * @param request - method name and parameters by position; quantities and data are 0x-prefixed hex strings
   * @param options - `signal` and `timeoutMs` of this call
   * @returns the result in its JSON-RPC encoding
   * @throws FairleadError `RPC_ERROR` for an error object, `HTTP_STATUS`, `TRANSPORT_*`, `DECODE_INVALID`
   * @example
   * ```ts
   * const block = await evm.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
   * ```
   * @see specs/evm/openrpc.yaml
   */
  request<method extends MethodName, const params extends MethodParams<method> = MethodParams<method>>(
    request: EvmRequest<method, params>,
    options?: CallOptions,
  ): Promise<MethodResult<method, params>>
  /** The transport that sends the calls. */
  readonly transport: Transport
  /** Closes connections and timers of the transport; later calls may fail. */
  close(): void
}

/**
 * Creates a client of an EVM node, over HTTP or over any transport.
 *
 * Calls that the specification marks idempotent are retried after a lost connection or a temporary HTTP status.
 *
 * @param options - URL, credential and path for HTTP, with `fetch`, `timeoutMs` and `retries` as for every client; or a
 *   `transport`
 * @returns a client with one typed `request` function
 * @throws FairleadError `CONFIG_INVALID` when URL or credential are invalid
 * @example
 * ```ts
 * const evm = createEvmClient({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const height = BigInt(await evm.request({ method: 'eth_blockNumber' }))
 *
 * const live = createEvmClient({ transport: webSocket({ url, auth }) })
 * ```
 * @see specs/evm/openrpc.yaml
 */
export function createEvmClient(options: EvmClientOptions | { readonly transport: Transport }): EvmClient {
  const transport: Transport = 'transport' in options ? options.transport : http(options)
  return {
    request: (request: { method: string; params?: readonly unknown[] }, callOptions?: CallOptions) =>
      transport.request(request, callOptions) as Promise<never>,
    transport,
    close: () => transport.close?.(),
  }
}
