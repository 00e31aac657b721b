import { FairleadError, unwrap } from '@fairlead/core'
import type { Client } from 'openapi-fetch'
import { createJettonClient, type JettonClientOptions } from './client.ts'
import type { paths } from './generated/jetton-v2/index.ts'
import type { Methods } from './generated/jetton-v2-rpc/index.ts'

export { FairleadError, isRetryable, unwrap } from '@fairlead/core'
export type { JettonClientOptions } from './client.ts'
export type * from './generated/jetton-v2/index.ts'
export type { Methods } from './generated/jetton-v2-rpc/index.ts'

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
    request: { readonly method: method; readonly params: Methods[method]['params'] },
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Methods[method]['result']>
}

/**
 * Makes a client of the v2 API family of a jetton-chain node.
 *
 * @param options - address and credential; `fetch`, `timeoutMs` and `retries` as for every client
 * @returns a client; each path call answers `{ data, error, response }`, and `unwrap` turns that into data or an error
 * @throws FairleadError `CONFIG_INVALID` when address or credential cannot work
 * @example
 * ```ts
 * const jetton = createJettonV2Client({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const param = await unwrap(jetton.GET('/api/v2/getConfigParam', { params: { query: { config_id: 15 } } }))
 * ```
 * @see specs/jetton/v2.openapi.yaml
 */
export function createJettonV2Client(options: JettonClientOptions): JettonV2Client {
  const client = createJettonClient<paths>(options)
  let id = 0
  return Object.assign(client, {
    async call(
      { method, params }: { method: keyof Methods; params: Methods[keyof Methods]['params'] },
      { signal }: { signal?: AbortSignal | undefined } = {},
    ) {
      const body = { jsonrpc: '2.0', id: ++id, method, params } as const
      const answer = await unwrap(client.POST('/api/v2/jsonRPC', { body, ...(signal && { signal }) }))
      if (answer?.result !== undefined) return answer.result
      const rule = 'must be a JSON-RPC response'
      throw new FairleadError('DECODE_INVALID', { operation: method, path: '$', rule })
    },
  })
}
