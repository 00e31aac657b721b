import type { IncomingHttpHeaders } from 'node:http'
import { loopField, loopValue } from '../network/cdn-loop.ts'
import { guardedConnect, type ConnectionRules, operatorRules } from '../network/guarded-connect.ts'
import {
  type CancellationSignal,
  createHttp1Connections,
  headerLines,
  type ReceivedResponse,
} from '@fairlead/http1'
import { currentTrace } from '../telemetry/current-trace.ts'
import { unavailable, UpstreamError } from '../upstream/upstream-error.ts'
import { authorizationOf, secretsOfUrl } from '../upstream/upstream-url.ts'
import { type ApiFormat, readNodeError } from './error-body.ts'
import { visibleHeaders } from './response-headers.ts'
import {
  type RestCall,
  type RestResponse,
  type RestUpstream,
  RestUpstreamError,
  type StreamedResponse,
} from './rest-call.ts'
import { RestError } from './rest-error.ts'

/** The failures of a batch may be many; what is longer is no error that anybody reads. */
const maxErrorBytes = 1_048_576

/** Slow clients keep a connection each; more wait for one to become free. */
const maxConnections = 256

// A node that is there is soon connected to; one that is not must leave time for another.
const longestConnectMs = 5_000

/**
 * Opens kept-alive connections to a node when they are needed.
 *
 * @param address - HTTP address below which the paths of the API are; user name and password in it are sent as HTTP
 * basic authentication, a query goes before that of the call
 * @param timeoutMs - longest wait for the head of an answer, and for the next bytes of its body
 * @param format - of the API
 * @param rules - that each connection is checked against
 * @param loopEntry - entry of `CDN-Loop` that each request carries
 * @throws when the address is not one; the error may quote it
 */
export function createRestUpstream(
  address: string,
  timeoutMs: number,
  format: ApiFormat,
  rules: ConnectionRules = operatorRules,
  loopEntry?: string,
): RestUpstream {
  const url = new URL(address)
  const connections = createHttp1Connections(url, {
    connectTimeoutMs: Math.min(timeoutMs, longestConnectMs),
    headTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
    maxConnections,
    connect: (options, isSecure) => guardedConnect(options, isSecure, rules),
  })
  const secrets = secretsOfUrl(url)
  const authorization = authorizationOf(url)
  const own = authorization === undefined ? {} : { authorization }

  const request = async (call: RestCall): Promise<RestResponse> => {
    const { method, headers, body, owner, signal, endless } = call
    try {
      const answer = await connections.request({
        method,
        target: pathBelow(url, call.target),
        fields: headerLines({ ...headers, ...own, ...traceFields(), ...loopFields(loopEntry) }),
        body,
        signal,
        isBuffered: call.isBuffered,
        listener: call.listener,
        owner,
        pace: endless ? 'endless' : 'slow',
        isRepeatable: method === 'GET',
      })
      const { status } = answer
      const visible = visibleHeaders(answer.headers, secrets, format.headerPrefix)
      const isGood = status >= 200 && status < 300
      if (isGood && !call.statusOnly) return new GoodResponse(answer, visible)
      const { 'content-type': type, 'retry-after': retryAfter } = visible
      const text = await beginningOf(answer)
      if (isRefusedCredential(status)) {
        throw refused(status, 'The node refuses the credential of this service.')
      }
      const kept = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
      // Only a request that the node rejects as invalid has something to say beside its status.
      const isRejected = status === 400 && text !== ''
      if (call.statusOnly && !isRejected) return { status, headers: kept, bytes: Buffer.alloc(0) }
      if (status < 400) throw refused(status, `The node answered HTTP ${status}.`)
      // Here the method was found to be right: it is the whole operation that the node lacks.
      const error =
        status === 405
          ? { status: 501, message: 'The node does not offer this operation.' }
          : readNodeError(status, text, type, secrets)
      const bytes = Buffer.from(format.writeError(error))
      return { status: error.status, headers: { ...kept, 'content-type': 'application/json' }, bytes }
    } catch (error) {
      throw error instanceof RestError ? error : unreachable(error, signal)
    }
  }

  return {
    request,
    get lastBytesAt() {
      return connections.lastBytesAt
    },
    close: () => connections.close(),
  }
}

function refused(httpStatus: number, message: string): RestUpstreamError {
  return new RestUpstreamError(new UpstreamError('refused', message, { httpStatus }))
}

/** A good response. Most are short, and need no stream. */
class GoodResponse implements StreamedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly #received: ReceivedResponse

  constructor(received: ReceivedResponse, headers: IncomingHttpHeaders) {
    this.status = received.status
    this.headers = headers
    this.#received = received
  }

  get body(): StreamedResponse['body'] {
    return this.#received.body
  }

  get whole(): Buffer | undefined {
    return this.#received.bytes
  }
}

/** The failure for an exchange that came to no end; the cause is dropped, as it may say where the node is. */
export function unreachable(error: unknown, signal: CancellationSignal): RestUpstreamError {
  const failure = unavailable(error, signal)
  return new RestUpstreamError(
    failure,
    failure.kind === 'late' ? failure.message : 'The node cannot be reached.',
  )
}

// The client's own credential was found good before; these are about the one in the node's address.
function isRefusedCredential(status: number): boolean {
  return status === 401 || status === 403 || status === 407
}

function traceFields(): Readonly<Record<string, string>> {
  const trace = currentTrace()
  return trace ? { traceparent: trace.traceparent } : {}
}

function loopFields(entry: string | undefined): Readonly<Record<string, string>> {
  return entry === undefined ? {} : { [loopField]: loopValue(entry) }
}

function pathBelow({ pathname, search }: URL, target: string): string {
  const [path = '', query] = splitOnce(target, '?')
  const queries = [search.slice(1), query].filter((part) => part !== undefined && part !== '')
  const below = `${pathname.replace(/\/$/, '')}${path}`
  return queries.length === 0 ? below : `${below}?${queries.join('&')}`
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

/** Text of a body as far as the limit; the rest is not even transferred. */
async function beginningOf(answer: ReceivedResponse): Promise<string> {
  if (answer.bytes) return answer.bytes.toString('utf8')
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxErrorBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
