import type { Route } from '@fairlead/core'
import { deprecationHeaders } from '../http/deprecation-headers.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { BufferedResponse, MediaRules, StreamedResponse } from './rest-call.ts'
import { RestError } from './rest-error.ts'
import { unreachable } from './rest-upstream.ts'
import { mismatchOf } from './media-type.ts'
import type { HttpContext } from '../http/http-context.ts'
import { streamBody } from '../http/stream-body.ts'
import { exposedFields } from '../http/response-fields.ts'
import { type HttpResponse, setHeaders } from '../http/types.ts'

/** Headers that browsers may read, in addition to those of the API. */
export const exposedHeaders: readonly string[] = [...exposedFields, 'deprecation', 'sunset']

/** The requirements of an API for responses. */
export interface ResponseRules extends MediaRules {
  /** Timeout of the upstream between two chunks. */
  readonly timeoutMs: number
}

/** Adds the deprecation headers when the operation is deprecated. */
export function setDeprecationHeaders(response: HttpResponse, route: Route): void {
  setHeaders(response, deprecationHeaders(route))
}

/**
 * Sends the response of an upstream; streams it when it is not buffered.
 *
 * @throws RestError 502 for another media type than those of the API; nothing was sent then
 */
export async function sendResponse(
  upstreamResponse: BufferedResponse | StreamedResponse,
  http: HttpContext,
  rules: ResponseRules,
): Promise<void> {
  if ('bytes' in upstreamResponse) sendBuffered(upstreamResponse, http)
  else await sendStreamed(upstreamResponse, http, rules)
}

/** Sends a buffered response. */
export function sendBuffered({ status, headers, bytes }: BufferedResponse, http: HttpContext): void {
  setVisibleHeaders(http.response, headers)
  http.end(status, bytes.length === 0 ? undefined : bytes)
}

async function sendStreamed(
  upstreamResponse: StreamedResponse,
  http: HttpContext,
  rules: ResponseRules,
): Promise<void> {
  const { status, headers } = upstreamResponse
  const { request, response } = http
  const mismatch = status === 200 ? mismatchOf(headers['content-type'], rules) : undefined
  if (mismatch !== undefined) {
    await upstreamResponse.body.dump().catch(() => undefined)
    throw new RestError(502, mismatch)
  }
  if (request.method === 'HEAD') {
    await upstreamResponse.body.dump().catch(() => undefined)
    setVisibleHeaders(response, headers)
    http.end(status)
    return
  }
  const { buffered } = upstreamResponse
  if (buffered !== undefined) {
    sendBuffered({ status, headers, bytes: buffered }, http)
    return
  }
  const end = await streamBody(upstreamResponse.body, response, {
    begin: () => {
      http.reserveStream()
      response.statusCode = status
      setVisibleHeaders(response, headers)
      // The total time is not limited, because a response can have any size, but the client has to continue reading. An
      // upstream that stops sending has its own timeout. It has to expire first; otherwise the failure would be
      // attributed to the client.
      response.setTimeout(2 * rules.timeoutMs)
    },
    failureOf: (error) => (error instanceof RestError ? error : unreachable(error, http.signal)),
    sent: (bytes) => (http.bytesOut += bytes),
    turn: (units) => http.turn(units),
  })
  if (end !== 'client disconnected') http.status = end === 'complete' ? status : end.status
}

/** Whether a header is specific to the API: it belongs neither to the body nor to every response. */
function isOfApi(name: string): boolean {
  return !name.startsWith('content-') && !exposedHeaders.includes(name)
}

function setVisibleHeaders(response: HttpResponse, headers: IncomingHttpHeaders): void {
  setHeaders(response, headers)
  const exposed = [...exposedHeaders, ...Object.keys(headers).filter(isOfApi)]
  response.setHeader('access-control-expose-headers', exposed.join(', '))
}
