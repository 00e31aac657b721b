import type { IncomingHttpHeaders } from 'node:http'
import { currentPassedThrough } from '../network/cdn-loop.ts'
import { guardedConnect, type ConnectionRules, operatorRules } from '../network/guarded-connect.ts'
import { upstreamFields } from '../network/upstream-fields.ts'
import type { CancellationSignal } from '@fairlead/runtime'
import { createHttp1Connections, headerLines, type ReceivedResponse } from '@fairlead/http1'
import { currentTrace } from '../telemetry/current-trace.ts'
import { retryAfterFields } from '../http/response-fields.ts'
import { parseRetryAfter } from '../upstream/retry-after.ts'
import { unavailable, UpstreamError } from '../upstream/upstream-error.ts'
import { authorizationOf, secretsOfUrl } from '../upstream/upstream-url.ts'
import { type ApiFormat, readNodeError } from './error-body.ts'
import { mismatchOf } from './media-type.ts'
import { visibleHeaders } from './response-headers.ts'
import {
  type RestCall,
  type RestResponse,
  type RestUpstream,
  RestUpstreamError,
  type StreamedResponse,
} from './rest-call.ts'
import { RestError } from './rest-error.ts'

/** Maximum size of an error body that is read. Failures of a batch may be numerous. */
const maxErrorBytes = 1_048_576

/** Each slow client holds a connection; further calls wait for one to become free. */
const maxConnections = 256

// A reachable upstream connects quickly. An unreachable one must leave time for another upstream.
const maxConnectMs = 5_000

/**
 * Opens keep-alive connections to an upstream on demand.
 *
 * @param address - HTTP base URL of the API. User name and password in it are sent as HTTP basic authentication; its
 * query precedes that of the call.
 * @param timeoutMs - timeout for the response headers, and between two chunks of the body
 * @param format - format of the API
 * @param rules - rules that each connection is checked against
 * @param loopEntry - entry of `CDN-Loop` in each request
 * @throws when the URL is invalid; the error may quote it
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
    connectTimeoutMs: Math.min(timeoutMs, maxConnectMs),
    headTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
    maxConnections,
    connect: (options, isSecure) => guardedConnect(options, isSecure, rules),
  })
  const secrets = secretsOfUrl(url)
  const authorization = authorizationOf(url)

  const request = async (call: RestCall): Promise<RestResponse> => {
    const { method, headers, body, tenant, signal, isStreaming } = call
    try {
      const response = await connections.request({
        method,
        target: pathBelow(url, call.target),
        fields: headerLines({
          ...headers,
          ...upstreamFields({
            authorization,
            loopEntry,
            passedThrough: currentPassedThrough(),
            trace: currentTrace(),
          }),
        }),
        body,
        signal,
        isBuffered: call.isBuffered,
        listener: call.listener,
        tenant,
        latencyClass: isStreaming ? 'streaming' : 'long',
        isRepeatable: method === 'GET',
      })
      const { status } = response
      const visible = visibleHeaders(response.headers, secrets, format.headerPrefix)
      const isGood = status >= 200 && status < 300
      if (isGood && !call.statusOnly) {
        const mismatch = status === 200 && call.media && mismatchOf(visible['content-type'], call.media)
        if (!mismatch) return new SuccessfulResponse(response, visible)
        if (!response.bytes) void response.body.dump()
        throw new RestUpstreamError(new UpstreamError('malformed', mismatch))
      }
      const { 'content-type': type, 'retry-after': retryAfter } = visible
      const text = await readErrorText(response)
      if (isRejectedCredential(status)) {
        throw httpError(status, 'The upstream rejected the credential of the gateway.')
      }
      const retryMs = parseRetryAfter(retryAfter)
      const retryHeaders = retryAfterFields(retryMs && Math.ceil(retryMs / 1_000))
      // Only a request that the upstream rejects as invalid has details in addition to its status.
      const isRejected = status === 400 && text !== ''
      if (call.statusOnly && !isRejected) return { status, headers: retryHeaders, bytes: Buffer.alloc(0) }
      if (status < 400) throw httpError(status, `The upstream returned HTTP ${status}.`)
      // The method was validated before, so the upstream does not offer the operation at all.
      const error =
        status === 405
          ? { status: 501, message: 'The upstream does not offer this operation.' }
          : readNodeError(status, text, type, secrets)
      const bytes = Buffer.from(format.writeError(error))
      return { status: error.status, headers: { ...retryHeaders, 'content-type': 'application/json' }, bytes }
    } catch (error) {
      throw error instanceof RestError ? error : unreachable(error, signal)
    }
  }

  return {
    request,
    get lastBytesAt() {
      return connections.lastBytesAt
    },
    get mismatchedResponses() {
      return connections.mismatchedResponses
    },
    close: () => connections.close(),
  }
}

function httpError(httpStatus: number, message: string): RestUpstreamError {
  return new RestUpstreamError(new UpstreamError('http_error', message, { httpStatus }))
}

/** A successful response. Most are short and need no stream. */
class SuccessfulResponse implements StreamedResponse {
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

  get buffered(): Buffer | undefined {
    return this.#received.bytes
  }
}

/** Creates the failure of an exchange. The cause is dropped, because it may contain the URL of the upstream. */
export function unreachable(error: unknown, signal: CancellationSignal): RestUpstreamError {
  const failure = unavailable(error, signal)
  return new RestUpstreamError(
    failure,
    failure.kind === 'timeout' ? failure.message : 'The upstream is unreachable.',
  )
}

// The client's own credential was validated before; these statuses concern the credential in the upstream's URL.
function isRejectedCredential(status: number): boolean {
  return status === 401 || status === 403 || status === 407
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

/** Reads the text of a body up to the limit; the rest is not transferred. */
async function readErrorText(response: ReceivedResponse): Promise<string> {
  if (response.bytes) return response.bytes.toString('utf8')
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= maxErrorBytes) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
