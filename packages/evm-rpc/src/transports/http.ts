import {
  type BasicCredential,
  type CallOptions,
  createHttpTransport,
  FairleadError,
  type HttpOptions,
  nodeAddress,
  redact,
  requireNumber,
  type TokenCredential,
} from '@fairlead/core'
import type { RpcRequest, Transport } from '../transport.ts'
import { parse, resultOf, rpcErrorOf } from './response.ts'
import { outcomesOf } from './batch-response.ts'
import { requireMilliseconds } from './configuration.ts'
import { createEnvelopes, type Envelope, operationOf } from './envelope.ts'
import { isIdempotent } from './idempotent.ts'
import { failed } from './outcomes.ts'

/** URL and credential of a node. */
export interface NodeTransportOptions {
  /** URL of the node without credentials, for example `https://node.example.com`. */
  readonly url: string
  /** Token (sent in the path) or user name and password (sent as HTTP basic authentication). */
  readonly auth: TokenCredential | BasicCredential
  /** Path after the token if the chain has one, for example `evm`. */
  readonly path?: string | undefined
}

/** Options for a connection to a node over HTTP. */
export interface HttpTransportOptions extends NodeTransportOptions, HttpOptions {}

/** Sends calls over HTTP, one or several in one exchange. */
export type HttpRpcTransport = Required<Pick<Transport, 'request' | 'batch'>>

/**
 * Creates a transport over HTTP: one POST per call, or per batch.
 *
 * Calls that the specification marks idempotent are retried after a lost connection or a temporary HTTP status. A batch
 * is idempotent when all its calls are.
 *
 * @param options - URL, credential and path; `fetch`, `timeoutMs` (of one attempt, 30000) and `retries` (2)
 * @returns a transport without persistent connections
 * @throws FairleadError `CONFIG_INVALID` when an option is invalid
 * @example
 * ```ts
 * const transport = http({ url: 'https://node.example.com', auth: { kind: 'token', token } })
 * const [chain, height] = await transport.batch([{ method: 'eth_chainId' }, { method: 'eth_blockNumber' }])
 * ```
 * @see JSON-RPC 2.0, section 6 (Batch)
 */
export function http({ url, auth, path, ...options }: HttpTransportOptions): HttpRpcTransport {
  const { timeoutMs = 30_000, retries = 2 } = options
  requireMilliseconds('timeoutMs', timeoutMs)
  requireNumber('retries', retries, 0)
  const { url: nodeUrl, headers: credential, secrets } = nodeAddress('evm', url, auth, path)
  const send = createHttpTransport(options, secrets)
  const envelopeOf = createEnvelopes()
  const headers = { 'content-type': 'application/json', ...credential }

  async function post<result>(
    message: Envelope | readonly Envelope[],
    requests: readonly RpcRequest[],
    toResult: (operation: string, body: unknown, response: Response) => result,
    callOptions: CallOptions | undefined,
  ): Promise<result> {
    requireMilliseconds('timeoutMs', callOptions?.timeoutMs ?? timeoutMs)
    const operation = operationOf(requests, secrets)
    const init = { method: 'POST', headers, body: JSON.stringify(message) }
    const idempotent = requests.every(({ method }) => isIdempotent(method))
    const call = { ...callOptions, operation, url: nodeUrl, init, idempotent }
    const { response, text } = await send(call, readText)
    const body = parse(text)
    const isBatch = Array.isArray(message) && Array.isArray(body)
    const isRpcResponse = isBatch || rpcErrorOf(operation, body, 0, [])
    if (response.ok || isRpcResponse) return toResult(operation, body, response)
    const requestId = response.headers.get('x-request-id') ?? undefined
    const detail = redact(text, secrets).slice(0, 300)
    throw new FairleadError('HTTP_STATUS', { operation, status: response.status, detail, requestId })
  }

  return {
    request: (request, callOptions) =>
      post(
        envelopeOf(request),
        [request],
        (operation, body, { status }) => resultOf(operation, body, status, secrets),
        callOptions,
      ),
    batch: async (requests, callOptions) => {
      if (requests.length === 0) return []
      const envelopes = requests.map(envelopeOf)
      try {
        return await post(
          envelopes,
          requests,
          (_, body, { status }) => outcomesOf(envelopes, body, status, secrets),
          callOptions,
        )
      } catch (error) {
        return requests.map(() => failed(error))
      }
    },
  }
}

const readText = async (response: Response): Promise<{ response: Response; text: string }> => ({
  response,
  text: await response.text(),
})
