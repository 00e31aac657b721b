import type { IncomingMessage, ServerResponse } from 'node:http'
import { errorBody, PlatformError } from '@fairlead/platform-server/platform-api/platform-error'
import { makeRequestId } from '@fairlead/gateway-core/http/request-id'
import { requestIdField } from '@fairlead/gateway-core/http/response-fields'

/**
 * Ends a request whose handler threw: with 500 when nothing was sent, otherwise by closing its connection or stream, so
 * that a partial response never looks complete.
 *
 * @returns id of the request, for the log
 */
export function sendInternalError(_: IncomingMessage, response: ServerResponse): string {
  const set = response.getHeader(requestIdField)
  const requestId = typeof set === 'string' ? set : makeRequestId()
  if (response.headersSent) response.destroy()
  else {
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    response.statusCode = 500
    response.setHeader(requestIdField, requestId)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(errorBody(new PlatformError('server_error'), requestId)))
  }
  return requestId
}
