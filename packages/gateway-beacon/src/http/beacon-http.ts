import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Rejection } from '@fairlead/gateway-core/admission/types'
import { sizeLimit } from '@fairlead/gateway-core/admission/request-limits'
import type { BeaconUpstreams } from '../upstream/types.ts'
import type { EventMultiplexers } from '../events/multiplexers.ts'
import { beaconFormat } from './beacon-format.ts'
import { rejectionHeaders, RestError, toRestError } from '@fairlead/gateway-core/rest/rest-error'
import { responseTypes, checkContentType, negotiate } from '../operations/media-types.ts'
import { type ResolvedOperation, findBeaconOperation } from '../operations/operations.ts'
import { checkBeaconParameters, repeatKeys } from '../operations/parameters.ts'
import { createRequestHandler, type HttpContext } from '@fairlead/gateway-core/http/http-context'
import type { RequestRules, HttpDependencies, RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import type { HttpRequest } from '@fairlead/gateway-core/http/types'
import type { RouteMatch } from '@fairlead/gateway-core/http/route'
import {
  exposedHeaders,
  setDeprecationHeaders,
  sendResponse,
  sendBuffered,
} from '@fairlead/gateway-core/rest/send-response'

/** Dependencies of the beacon node API. */
export interface BeaconDependencies extends HttpDependencies {
  readonly beaconUpstreams: BeaconUpstreams
  readonly eventMultiplexers: EventMultiplexers
  readonly maxBeaconBodyBytes: number
}

/**
 * Creates the handler of the beacon node API: `/beacon/<token>/eth/...`, `/beacon/eth/...` with basic authentication.
 */
export function createBeaconHandler(dependencies: BeaconDependencies): RequestHandler {
  const rules: RequestRules = {
    protocol: 'beacon',
    maxBodyBytes: dependencies.maxBeaconBodyBytes,
    cors: {
      methods: 'GET, POST',
      headers: 'authorization, content-type, accept, eth-consensus-version, eth-blob-data-included',
      exposed: exposedHeaders.join(', '),
    },
    failure: errorOfRejection,
    rejectionOf: (error, log) => {
      const failure = toRestError(error, log)
      return { status: failure.status, headers: failure.headers, text: beaconFormat.writeError(failure) }
    },
  }
  return createRequestHandler(dependencies, rules, (context, match) =>
    handleRequest(dependencies, match, context),
  )
}

async function handleRequest(
  dependencies: BeaconDependencies,
  { token, target }: RouteMatch,
  http: HttpContext,
): Promise<void> {
  const grant = http.authenticate({ token })
  const { request } = http
  const { method = '', headers } = request
  const [path = '', rawQuery = ''] = target.split(/\?(.*)/s, 2)
  const operation = findBeaconOperation(method, path)
  const query = repeatKeys(operation, rawQuery)
  const { operationId, route, policy } = operation
  http.method = operationId
  admitDebug(grant, operation)
  if (route) setDeprecationHeaders(http.response, route)
  checkBeaconParameters(operation, query, headers)
  const types = route ? negotiate(route, headers.accept) : []
  if (types.includes('text/event-stream')) {
    http.admitStream(operationId, policy.cost)
    await stream(dependencies, grant, query, http)
    return
  }
  const permit = await http.admit(operationId, policy.cost)
  try {
    await forward(dependencies, { target, path, query, types, operation, grant }, http)
  } finally {
    permit.release()
  }
}

interface BeaconCall {
  readonly grant: Grant
  readonly operation: ResolvedOperation
  /** Path and query, unchanged. */
  readonly target: string
  readonly path: string
  readonly query: string
  /** Media types of the operation's response that the client accepts, best first. */
  readonly types: readonly string[]
}

async function forward(dependencies: BeaconDependencies, call: BeaconCall, http: HttpContext): Promise<void> {
  const { grant, operation, target, path, query, types } = call
  const { operationId, route } = operation
  const { request } = http
  const { method } = request
  const [, rawQuery = ''] = target.split(/\?(.*)/s, 2)
  const maxBytes = sizeLimit(grant, 'maxBodyBytes', dependencies.maxBeaconBodyBytes)
  const body = method === 'POST' ? await bodyFor(operation, maxBytes, http) : undefined
  http.bytesIn = body?.length ?? 0
  const media = { api: 'beacon node API', types: route ? responseTypes(route) : [] }
  const response = await dependencies.beaconUpstreams.of(grant).forward({
    operation,
    method: method === 'POST' ? 'POST' : 'GET',
    target: query === rawQuery ? target : `${path}?${query}`,
    headers: headersFor(request, types, body),
    body,
    tenant: grant,
    signal: http.signal,
    media,
    statusOnly: operationId === 'getHealth',
  })
  await sendResponse(response, http, { ...media, timeoutMs: dependencies.timeoutMs })
}

function errorOfRejection(rejection: Rejection): RestError {
  return new RestError(rejection.status, rejection.reason, rejectionHeaders(rejection))
}

async function stream(
  { eventMultiplexers, admission, authenticator }: BeaconDependencies,
  grant: Grant,
  query: string,
  http: HttpContext,
): Promise<void> {
  if (http.request.method === 'HEAD') {
    throw new RestError(405, 'Use GET for events.', { allow: 'GET, OPTIONS' })
  }
  http.isStreaming = true
  const { request, response } = http
  const requester = { address: authenticator.addressOf(request), origin: request.headers.origin }
  const topics = new URLSearchParams(query).getAll('topics')
  const rejection = await eventMultiplexers.stream(grant, topics, response, {
    requester,
    push: (events) => admission.push(grant, events)?.reason,
  })
  if (rejection) sendBuffered(rejection, http)
  else http.status = 200
}

/** @throws {@link RestError} 501 for the debug endpoints of a node that does not offer them */
function admitDebug({ settings }: Grant, { route }: ResolvedOperation): void {
  if (settings?.['beaconDebug'] !== false || route?.tags?.includes('Debug') !== true) return
  throw new RestError(501, 'This node does not offer the debug endpoints.')
}

/**
 * Returns the headers that are relevant to an upstream: never the credential, and nothing about the client.
 *
 * @param types - media types of the operation's response that the client accepts, best first; some upstreams support
 * more
 */
function headersFor(
  { headers }: HttpRequest,
  types: readonly string[],
  body: Uint8Array | undefined,
): Record<string, string> {
  const forwarded = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0].startsWith('eth-'),
  )
  const { 'content-type': type = 'application/json' } = headers
  const accept = types.length > 0 ? acceptHeader(types) : headers.accept
  return {
    ...Object.fromEntries(forwarded),
    ...(accept !== undefined && { accept }),
    ...(body && { 'content-type': type }),
  }
}

function acceptHeader(types: readonly string[]): string {
  return types.map((type, index) => (index === 0 ? type : `${type};q=0.${9 - index}`)).join(', ')
}

async function bodyFor(
  { route }: ResolvedOperation,
  maxBytes: number,
  http: HttpContext,
): Promise<Uint8Array | undefined> {
  const { headers } = http.request
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (hasBody && route) checkContentType(route, headers)
  const body = await http.readBody(maxBytes, (status, message) => new RestError(status, message))
  if (body.length === 0 && route?.requestBody?.required)
    throw new RestError(400, 'A request body is required.')
  return body.length === 0 ? undefined : body
}
