import {
  type BasicCredential,
  type CallOptions,
  createHttpTransport,
  FairleadError,
  type HttpOptions,
  nodeAddress,
  redact,
  redactJson,
  type TokenCredential,
} from '@fairlead/core'
import { nonIdempotentMethods } from './generated/index.ts'
import type { EvmRequest, MethodName, MethodParams, MethodResult } from './method-types.ts'

export interface EvmClientOptions extends HttpOptions {
  /** Address of the node without credentials, for example `https://node.example.com`. */
  readonly url: string
  /** Token (sent in the path) or user name and password (sent as HTTP basic authentication). */
  readonly auth: TokenCredential | BasicCredential
  /** Path after the token where a chain has one, for example `evm`. */
  readonly path?: string | undefined
}

/** Calls the JSON-RPC methods of one node. */
export interface EvmClient {
  /**
   * Calls one method.
   *
   * @param request - method name and parameters by position; quantities and data are 0x-prefixed hex strings
   * @param options - `signal` and `timeoutMs` of this call
   * @returns the result in the form of the wire
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
}

/**
 * Makes a client of an EVM node over HTTP.
 *
 * Calls that the specification marks idempotent are sent again after a lost connection or a passing HTTP status.
 *
 * @param options - address, credential and path; `fetch`, `timeoutMs` and `retries` as for every client
 * @returns a client with one typed `request` function
 * @throws FairleadError `CONFIG_INVALID` when address or credential cannot work
 * @example
 * ```ts
 * const evm = createEvmClient({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const height = BigInt(await evm.request({ method: 'eth_blockNumber' }))
 * ```
 * @see specs/evm/openrpc.yaml
 */
export function createEvmClient({ url, auth, path, ...http }: EvmClientOptions): EvmClient {
  const address = nodeAddress('evm', url, auth, path)
  const send = createHttpTransport(http, address.secrets)
  const headers = { 'content-type': 'application/json', ...address.headers }
  let id = 0
  return {
    request: ({ method, params = [] }: { method: string; params?: unknown }, options?: CallOptions) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })
      const init = { method: 'POST', headers, body }
      const idempotent = !nonIdempotentMethods.includes(method)
      const operation = redact(method, address.secrets)
      const call = { ...options, operation, url: address.url, init, idempotent }
      return send(call, readText).then((answer) =>
        resultOf(operation, answer, address.secrets),
      ) as Promise<never>
    },
  }
}

interface RpcError {
  readonly code: number
  readonly message?: unknown
  readonly data?: unknown
}

interface Answer {
  readonly result?: unknown
  readonly error?: unknown
}

interface TextAnswer {
  readonly response: Response
  readonly text: string
}

const readText = async (response: Response): Promise<TextAnswer> => ({
  response,
  text: await response.text(),
})

function resultOf(operation: string, { response, text }: TextAnswer, secrets: readonly string[]): unknown {
  const { status } = response
  let answer: Answer | undefined
  try {
    answer = JSON.parse(text) as Answer
  } catch {}
  if (isRpcError(answer?.error)) {
    const { code: rpcCode, message, data: sent } = answer.error
    const detail = typeof message === 'string' ? redact(message, secrets) : ''
    const data = redactJson(sent, secrets)
    throw new FairleadError('RPC_ERROR', { operation, rpcCode, detail, data, status })
  }
  if (!response.ok) {
    const requestId = response.headers.get('x-request-id') ?? undefined
    const detail = redact(text, secrets).slice(0, 300)
    throw new FairleadError('HTTP_STATUS', { operation, status, detail, requestId })
  }
  if (answer?.result === undefined) {
    throw new FairleadError('DECODE_INVALID', { operation, path: '$', rule: 'must be a JSON-RPC response' })
  }
  return answer.result
}

// A proxy in front of the node may use `error` for something else, such as a text.
function isRpcError(error: unknown): error is RpcError {
  return typeof (error as RpcError | null | undefined)?.code === 'number'
}
