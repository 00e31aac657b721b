import type { IncomingMessage } from 'node:http'
import type { NodeGrant } from '@fairlead/gateway-core/grants/grant'
import { type Refusal, isRefusal } from '@fairlead/gateway-core/admission/types'
import { sizeLimit } from '@fairlead/gateway-core/admission/request-limits'
import type { AllBeaconNodes } from '../upstream/types.ts'
import type { BeaconEventHubs } from '../events/multiplexers.ts'
import { beaconFormat } from './beacon-format.ts'
import { refusalHeaders, RestFailure, restFailureOf } from '@fairlead/gateway-core/rest/rest-error'
import { answerTypes, checkContentType, negotiate } from '../operations/media-types.ts'
import { type BeaconDestination, findBeaconOperation } from '../operations/operations.ts'
import { checkBeaconParameters, repeatKeys } from '../operations/parameters.ts'
import { HttpExchange } from '@fairlead/gateway-core/http/request-context'
import type { ExchangeRules, HttpPlane, NodeListener } from '@fairlead/gateway-core/http/dependencies'
import { type BeaconPath, matchBeaconPath } from './beacon-path.ts'
import {
  exposedHeaders,
  sayDeprecated,
  sendAnswer,
  sendHeld,
} from '@fairlead/gateway-core/rest/send-response'

/** What the beacon node API needs from the rest of the service. */
export interface BeaconPlane extends HttpPlane {
  readonly beaconNodes: AllBeaconNodes
  readonly eventHubs: BeaconEventHubs
  readonly maxBeaconBodyBytes: number
}

/** Makes the listener for the beacon node API: `/beacon/<token>/eth/...`, `/beacon/eth/...` with basic authentication. */
export function createBeaconListener(plane: BeaconPlane): NodeListener {
  const rules: ExchangeRules = {
    protocol: 'beacon',
    maxBodyBytes: plane.maxBeaconBodyBytes,
    cors: {
      methods: 'GET, POST',
      headers: 'authorization, content-type, accept, eth-consensus-version, eth-blob-data-included',
      exposed: exposedHeaders.join(', '),
    },
    failure: refused,
    refusalOf: (error, log) => {
      const failure = restFailureOf(error, log)
      return { status: failure.status, headers: failure.headers, text: beaconFormat.writeError(failure) }
    },
  }
  return (request, response) => {
    const path = matchBeaconPath(request.url ?? '')
    if (!path) return false
    const exchange = new HttpExchange(plane, rules, request, response)
    exchange.run(path, () => answer(plane, path, exchange))
    return true
  }
}

async function answer(plane: BeaconPlane, { token, target }: BeaconPath, http: HttpExchange): Promise<void> {
  const grant = http.enter({ token })
  const { request } = http
  const { method = '', headers } = request
  const [path = '', given = ''] = target.split(/\?(.*)/s, 2)
  const destination = findBeaconOperation(method, path)
  const query = repeatKeys(destination, given)
  const { operationId, route } = destination
  http.method = operationId
  admitDebug(grant, destination)
  if (route) sayDeprecated(http.response, route)
  checkBeaconParameters(destination, query, headers)
  const types = route ? negotiate(route, headers.accept) : []
  if (types.includes('text/event-stream')) {
    const refusal = plane.admission.admitStream(grant, operationId)
    if (refusal) throw refused(refusal)
    await stream(plane, grant, query, http)
    return
  }
  const place = await plane.admission.admit(grant, operationId, http.signal)
  if (isRefusal(place)) throw refused(place)
  try {
    await forward(plane, { target, path, query, types, destination, grant }, http)
  } finally {
    place.leave()
  }
}

interface BeaconCall {
  readonly grant: NodeGrant
  readonly destination: BeaconDestination
  /** Path and query as they came. */
  readonly target: string
  readonly path: string
  readonly query: string
  /** What the client takes of what the operation answers, best first. */
  readonly types: readonly string[]
}

async function forward(plane: BeaconPlane, call: BeaconCall, http: HttpExchange): Promise<void> {
  const { grant, destination, target, path, query, types } = call
  const { operationId, route } = destination
  const { request } = http
  const { method } = request
  const [, given = ''] = target.split(/\?(.*)/s, 2)
  const maxBytes = sizeLimit(grant, 'maxBodyBytes', plane.maxBeaconBodyBytes)
  const body = method === 'POST' ? await bodyFor(destination, maxBytes, http) : undefined
  http.bytesIn = body?.length ?? 0
  const answered = await plane.beaconNodes.of(grant).forward({
    operationId,
    acceptable: types,
    method: method === 'POST' ? 'POST' : 'GET',
    target: query === given ? target : `${path}?${query}`,
    headers: headersFor(request, types, body),
    body,
    owner: grant.credentialId,
    signal: http.signal,
    statusOnly: operationId === 'getHealth',
  })
  const answerRules = {
    api: 'beacon node API',
    types: route ? answerTypes(route) : [],
    timeoutMs: plane.timeoutMs,
  }
  await sendAnswer(answered, http, answerRules)
}

function refused(refusal: Refusal): RestFailure {
  return new RestFailure(refusal.status, refusal.reason, refusalHeaders(refusal))
}

async function stream(
  { eventHubs, admission, door }: BeaconPlane,
  grant: NodeGrant,
  query: string,
  http: HttpExchange,
): Promise<void> {
  if (http.request.method === 'HEAD') {
    throw new RestFailure(405, 'Events are asked for with GET.', { allow: 'GET, OPTIONS' })
  }
  http.isLasting = true
  const { request, response } = http
  const visitor = { address: door.addressOf(request), origin: request.headers.origin }
  const topics = new URLSearchParams(query).getAll('topics')
  const refusal = await eventHubs.stream(grant, topics, response, {
    enter: (current) => admission.enter(current, 'beacon', visitor)?.reason,
    push: (events) => admission.push(grant, events)?.reason,
  })
  if (refusal) sendHeld(refusal, http)
  else http.status = 200
}

/** @throws {@link RestFailure} 501 for the debug endpoints of a node that keeps them to itself */
function admitDebug({ settings }: NodeGrant, { route }: BeaconDestination): void {
  if (settings?.['beaconDebug'] !== false || route?.tags?.includes('Debug') !== true) return
  throw new RestFailure(501, 'This node does not offer the debug endpoints.')
}

/**
 * The headers that mean something to a node: never the credential, and nothing about the client.
 *
 * @param types - what the client takes of what the operation answers, best first; some nodes have more than that
 */
function headersFor(
  { headers }: IncomingMessage,
  types: readonly string[],
  body: Uint8Array | undefined,
): Record<string, string> {
  const passed = Object.entries(headers).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0].startsWith('eth-'),
  )
  const { 'content-type': type = 'application/json' } = headers
  const accept = types.length > 0 ? preference(types) : headers.accept
  return {
    ...Object.fromEntries(passed),
    ...(accept !== undefined && { accept }),
    ...(body && { 'content-type': type }),
  }
}

function preference(types: readonly string[]): string {
  return types.map((type, index) => (index === 0 ? type : `${type};q=0.${9 - index}`)).join(', ')
}

async function bodyFor(
  { route }: BeaconDestination,
  maxBytes: number,
  http: HttpExchange,
): Promise<Uint8Array | undefined> {
  const { headers } = http.request
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (hasBody && route) checkContentType(route, headers)
  const body = await http.readBody(maxBytes, (status, message) => new RestFailure(status, message))
  if (body.length === 0 && route?.requestBody?.required) throw new RestFailure(400, 'A body is required.')
  return body.length === 0 ? undefined : body
}
