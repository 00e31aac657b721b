import { FairleadError, unwrap } from '@fairlead/core'
import type { Client } from 'openapi-fetch'
import { withArchival } from './archival.ts'
import { createJettonClient, type JettonClientOptions } from './client.ts'
import type { JsonRpcRequest, paths } from './generated/jetton-v2/types.ts'
import type { Methods } from './generated/jetton-v2-rpc/methods.ts'
import { singleNode } from './nodes/transport.ts'

export { FairleadError, isRetryable, unwrap } from '@fairlead/core'
export type { AddressWriter } from './addresses/writer.ts'
export { fromUnits, toUnits } from './amount.ts'
export type { JettonClientOptions } from './client.ts'
export type { Methods } from './generated/jetton-v2-rpc/methods.ts'
export type * from './generated/jetton-v2/types.ts'
export { failover, type FailoverOptions } from './nodes/failover.ts'
export type { JettonNodeOptions } from './nodes/node.ts'
export type { RateLimit } from './nodes/rate-limit.ts'
export type { JettonTransport } from './nodes/transport.ts'
export { blockTransactions, type BlockTransactionsOptions } from './pages/block-transactions.ts'
export type { PageOptions } from './pages/page-options.ts'
export { transactions, type TransactionsOptions } from './pages/transactions.ts'
export { isRateLimited } from './rate-limited.ts'

/** Options of {@link createJettonV2Client}. */
export type JettonV2ClientOptions = JettonClientOptions & {
  /**
   * Whether to query an archive node for transactions that the first node no longer stores. Default true; a call that
   * sets `archival` itself is sent unchanged.
   */
  readonly archival?: boolean | undefined
}

/** A method and its parameters, which are optional when none is required. */
export type JettonV2Request<method extends keyof Methods> = {
  readonly method: method
} & (Record<string, never> extends Methods[method]['params']
  ? { readonly params?: Methods[method]['params'] }
  : { readonly params: Methods[method]['params'] })

/** The v2 API family: `GET` and `POST` typed by path, and its JSON-RPC methods typed by name. */
export interface JettonV2Client extends Client<paths> {
  /**
   * Calls a method of `POST /api/v2/jsonRPC`.
   *
   * @param request - method name and its parameters as an object
   * @param options - `signal` of this call
   * @returns the result
   * @throws FairleadError `HTTP_STATUS`, `TRANSPORT_*`, `DECODE_INVALID`
   * @example
   * ```ts
   * const { value } = await jetton.call({ method: 'getConfigParam', params: { config_id: 15 } })
   * ```
   * @see specs/jetton/v2.openrpc.yaml
   */
  call<method extends keyof Methods>(
    request: JettonV2Request<method>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Methods[method]['result']>
}

/**
 * Creates a client of the v2 API family (HTTP API of TON) of one or several nodes.
 *
 * @param options - URL and credential of one node, with `fetch`, `timeoutMs` and `retries` as for every client; or a
 *   `transport`, such as the one that {@link failover} creates; `addresses` and `archival`
 * @returns a client; each path call resolves to `{ data, error, response }`, and `unwrap` returns the data or throws
 *   the error
 * @throws FairleadError `CONFIG_INVALID` when an option is invalid
 * @example
 * ```ts
 * const jetton = createJettonV2Client({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const param = await unwrap(jetton.GET('/api/v2/getConfigParam', { params: { query: { config_id: 15 } } }))
 * ```
 * @see specs/jetton/v2.openapi.yaml
 */
export function createJettonV2Client(options: JettonV2ClientOptions): JettonV2Client {
  const transport = 'transport' in options ? options.transport : singleNode(options)
  const send = options.archival === false ? transport.send : withArchival(transport.send)
  const client = createJettonClient<paths>({ ...transport, send }, options.addresses)
  let id = 0
  return Object.assign(client, {
    async call<method extends keyof Methods>(
      { method, params }: JettonV2Request<method>,
      { signal }: { signal?: AbortSignal | undefined } = {},
    ) {
      const body = { jsonrpc: '2.0', id: ++id, method, params: params ?? {} } as JsonRpcRequest
      const response = await unwrap(client.POST('/api/v2/jsonRPC', { body, ...(signal && { signal }) }))
      if (response?.result !== undefined) return response.result as Methods[method]['result']
      const rule = 'must be a JSON-RPC response'
      throw new FairleadError('DECODE_INVALID', { operation: method, path: '$', rule })
    },
  })
}
