import type { Tenant } from '@fairlead/runtime'
import type { Rejection } from '@fairlead/gateway-core/admission/types'
import { sizeLimit } from '@fairlead/gateway-core/admission/request-limits'
import { jettonAdapters } from '../adapters/adapters.ts'
import { withEmptyLists } from '../upstream/empty-lists.ts'
import { JettonError } from '../jetton-error.ts'
import { jettonMedia, type JettonUpstreams, type PooledNodeUpstreams } from '../upstream/jetton-upstreams.ts'
import { readRpcCall, type RpcReply } from '../json-rpc/call.ts'
import { findRpcMethod } from '../json-rpc/rpc-methods.ts'
import { plainHead, rpcBody, rpcHead, streamedWithHead, withHead } from '../json-rpc/envelope.ts'
import { jettonFormat } from './jetton-format.ts'
import type { BufferedResponse, RestCall, StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import { rejectionHeaders, RestError, toRestError } from '@fairlead/gateway-core/rest/rest-error'
import { queryByContractNames, valueByContractNames } from '../operations/aliases.ts'
import { findJettonOperation, type JettonOperation } from '../operations/operations.ts'
import {
  bodyParameters,
  listsOf,
  methodParameters,
  queryParameters,
  withDefaults,
} from '../operations/parameters.ts'
import type { OperationPolicy } from '@fairlead/gateway-core/rest/operation-policy'
import { bodyLimits, exceededLimit } from '@fairlead/gateway-core/json-depth'
import { createRequestHandler, type HttpContext } from '@fairlead/gateway-core/http/http-context'
import type { RequestRules, HttpDependencies, RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import type { HttpRequest } from '@fairlead/gateway-core/http/types'
import type { RouteMatch } from '@fairlead/gateway-core/http/route'
import {
  exposedHeaders,
  setDeprecationHeaders,
  sendResponse,
} from '@fairlead/gateway-core/rest/send-response'

/** Dependencies of the jetton chain API. */
export interface JettonDependencies extends HttpDependencies {
  readonly jettonUpstreams: JettonUpstreams
  readonly maxBodyBytes: number
}

/** An error that is the response to a JSON-RPC call. */
class RpcCallFailure extends RestError {
  readonly idText: string

  constructor({ status, message, headers }: RestError, { idText }: RpcReply) {
    super(status, message, headers)
    this.idText = idText
  }
}

// In addition to the usual headers, those that existing clients of these families send.
const corsHeaders = [
  'authorization',
  'content-type',
  'accept',
  'x-api-key',
  'x-ton-client-version',
  'x-timeout',
  'x-no-address-book',
  'x-no-metadata',
  'x-actions-version',
]

/** Creates the handler of the jetton chain API: `/<token>/api/...`, `/api/...` with basic authentication. */
export function createJettonHandler(dependencies: JettonDependencies): RequestHandler {
  const rules: RequestRules = {
    protocol: 'jetton',
    maxBodyBytes: dependencies.maxBodyBytes,
    cors: { methods: 'GET, POST', headers: corsHeaders.join(', '), exposed: exposedHeaders.join(', ') },
    failure: errorOfRejection,
    rejectionOf: (error, log) => {
      const failure = toRestError(error, log)
      const { status, headers } = failure
      const text = jettonFormat.writeError(failure)
      return {
        status,
        headers,
        text: failure instanceof RpcCallFailure ? withHead(text, rpcHead(failure.idText)) : text,
      }
    },
  }
  return createRequestHandler(dependencies, rules, (context, match) =>
    handleRequest(dependencies, match, context),
  )
}

async function handleRequest(
  dependencies: JettonDependencies,
  { token, target }: RouteMatch,
  http: HttpContext,
): Promise<void> {
  const grant = http.authenticate({ token })
  const [path = '', query = ''] = target.split(/\?(.*)/s, 2)
  const operation = findJettonOperation(http.request.method ?? '', path)
  http.method = operation.operationId
  setDeprecationHeaders(http.response, operation.route)
  const upstreams = dependencies.jettonUpstreams.of(grant)
  const { timeoutMs } = dependencies
  const maxBodyBytes = sizeLimit(grant, 'maxBodyBytes', dependencies.maxBodyBytes)
  const limits = { maxBodyBytes, timeoutMs, tenant: grant }
  const runAdmitted: Admit = async (method, { cost }, run) => {
    const permit = await http.admit(method, cost)
    try {
      await run()
    } finally {
      permit.release()
    }
  }
  if (operation.operationId === 'callJsonRpc') await handleRpc(limits, upstreams, http, runAdmitted)
  else {
    // A client that may not use one form of a read may not use the other.
    await runAdmitted(readOf(operation.operationId), operation.policy, () =>
      handleRest(limits, operation, queryByContractNames(operation.operationId, query), upstreams, http),
    )
  }
}

/** Runs the handler of a call that is admitted. */
type Admit = (method: string, policy: OperationPolicy, run: () => Promise<void>) => Promise<void>

interface JettonLimits extends Pick<JettonDependencies, 'maxBodyBytes' | 'timeoutMs'> {
  /** The client. */
  readonly tenant: Tenant
}

function errorOfRejection(rejection: Rejection): JettonError {
  return new JettonError(rejection.status, rejection.reason, rejectionHeaders(rejection))
}

async function handleRest(
  { maxBodyBytes, timeoutMs, tenant }: JettonLimits,
  operation: JettonOperation,
  rawQuery: string,
  upstreams: PooledNodeUpstreams,
  http: HttpContext,
): Promise<void> {
  const { request, signal } = http
  const { family, operationId, method, policy } = operation
  const parameters = queryParameters(operation, rawQuery, request.headers)
  const body = method === 'POST' ? await readJson(http, maxBodyBytes) : undefined
  const call = {
    family,
    operationId,
    parameters: body ? bodyParameters(operation, valueByContractNames(operationId, body.value)) : parameters,
    tenant,
    signal,
  }
  const adapter = jettonAdapters.get(readOf(operationId))
  if (adapter) {
    http.end(200, JSON.stringify(await adapter(call, upstreams)))
    return
  }
  if (body && family === 'v2' && operationId !== readOf(operationId)) {
    // Not every upstream accepts a read by `POST` at its path.
    const read = { method: readOf(operationId), policy, paramsText: body.text }
    const response = await forwardRpc(upstreams, read, { tenant, signal })
    await send(withResponseHead(plainHead, response), http, timeoutMs)
    return
  }
  const query = withDefaults(operation, rawQuery)
  const response = await upstreams.forward(family, policy.resending, {
    method: body ? 'POST' : 'GET',
    target: query === '' ? operation.path : `${operation.path}?${query}`,
    headers: headersFor(operation, request, body !== undefined),
    body: body && Buffer.from(body.text),
    tenant,
    signal,
  })
  const normalized =
    'body' in response ? await withEmptyLists(response, listsOf(operation), signal) : response
  await send(normalized, http, timeoutMs)
}

// The `POST` form of a read has the same parameters and the same response.
function readOf(operationId: string): string {
  return operationId.replace(/ByPost$/, '')
}

async function handleRpc(
  { maxBodyBytes, timeoutMs, tenant }: JettonLimits,
  upstreams: PooledNodeUpstreams,
  http: HttpContext,
  runAdmitted: Admit,
): Promise<void> {
  const reply: RpcReply = { idText: 'null' }
  http.method = 'unknown'
  try {
    const { text, value } = await readJson(http, maxBodyBytes)
    const { method, params, paramsText } = readRpcCall(text, value, reply)
    const { method: described, policy } = findRpcMethod(method)
    const parameters = methodParameters(described, valueByContractNames(method, params))
    http.method = method
    const { signal } = http
    await runAdmitted(method, policy, async () => {
      const adapter = jettonAdapters.get(`jsonRPC:${method}`)
      if (adapter) {
        const result = await adapter(
          { family: 'v2', operationId: method, parameters, tenant, signal },
          upstreams,
        )
        http.end(200, withHead(JSON.stringify({ ok: true, result }), rpcHead(reply.idText)))
        return
      }
      const response = await forwardRpc(upstreams, { method, policy, paramsText }, { tenant, signal })
      await send(withResponseHead(rpcHead(reply.idText), response), http, timeoutMs)
    })
  } catch (error) {
    if (http.isOver()) throw error
    throw new RpcCallFailure(toRestError(error, http.log), reply)
  }
}

/** A JSON-RPC call to an upstream. */
interface ForwardedRpc {
  readonly method: string
  readonly policy: OperationPolicy
  readonly paramsText: string
}

function forwardRpc(
  upstreams: PooledNodeUpstreams,
  { method, policy, paramsText }: ForwardedRpc,
  { tenant, signal }: Pick<RestCall, 'tenant' | 'signal'>,
): Promise<StreamedResponse | BufferedResponse> {
  return upstreams.forward('v2', policy.resending, {
    method: 'POST',
    target: '/api/v2/jsonRPC',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: rpcBody(method, paramsText),
    tenant,
    signal,
  })
}

function withResponseHead(
  head: string,
  response: StreamedResponse | BufferedResponse,
): StreamedResponse | BufferedResponse {
  const { 'content-length': _, ...headers } = response.headers
  if ('body' in response) return { ...response, headers, body: streamedWithHead(response.body, head) }
  const text = withHead(Buffer.from(response.bytes).toString('utf8'), head)
  return { ...response, headers, bytes: Buffer.from(text) }
}

function send(
  response: StreamedResponse | BufferedResponse,
  http: HttpContext,
  timeoutMs: number,
): Promise<void> {
  return sendResponse(response, http, { ...jettonMedia, timeoutMs })
}

/** Returns the headers that the contract defines, and never the credential. */
function headersFor(
  { route }: JettonOperation,
  { headers }: HttpRequest,
  hasBody: boolean,
): Record<string, string> {
  const forwarded = Object.keys(route.headers ?? {}).flatMap((name) => {
    const value = headers[name.toLowerCase()]
    return typeof value === 'string' ? [[name.toLowerCase(), value] as const] : []
  })
  return {
    ...Object.fromEntries(forwarded),
    accept: 'application/json',
    ...(hasBody && { 'content-type': 'application/json' }),
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

const exceeded = {
  maxDepth: `The body should have at most ${bodyLimits.maxDepth} levels of arrays and objects.`,
  maxValues: `The body should have at most ${bodyLimits.maxValues} values in arrays and objects.`,
}

/** @throws {@link JettonError} 413 for a body that is too long, 422 for a body that is not JSON or exceeds a limit */
async function readJson(
  http: HttpContext,
  maxBytes: number,
): Promise<{ readonly text: string; readonly value: unknown }> {
  const bytes = await http.readBody(maxBytes, (status, message) => new JettonError(status, message))
  http.bytesIn = bytes.length
  const limit = exceededLimit(bytes, bodyLimits)
  if (limit) throw new JettonError(422, exceeded[limit])
  try {
    const text = decoder.decode(bytes)
    return { text, value: JSON.parse(text) }
  } catch {
    throw new JettonError(422, 'The body should be JSON in UTF-8.')
  }
}
