import type { IncomingMessage, ServerResponse } from 'node:http'
import { makeRequestId } from '@fairlead/gateway-core/http/request-id'
import { errorBody, PlatformError } from '@fairlead/platform-server/platform-api/platform-error'

/**
 * Rejects an HTTP/1.1 request with several Host fields with 400, and closes its connection.
 *
 * @returns whether the request was rejected
 * @see RFC 9112, section 3.2
 */
export function rejectConflictingHost(request: IncomingMessage, response: ServerResponse): boolean {
  if (!hasConflictingHost(request)) return false
  const requestId = makeRequestId()
  const error = new PlatformError('invalid', { message: 'Send exactly one Host header.' })
  response
    .writeHead(400, { connection: 'close', 'content-type': 'application/json', 'x-request-id': requestId })
    .end(JSON.stringify(errorBody(error, requestId)))
  return true
}

/** Returns whether an HTTP/1.1 request has several Host fields. */
export function hasConflictingHost({ httpVersionMajor, rawHeaders }: IncomingMessage): boolean {
  if (httpVersionMajor !== 1) return false
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}
