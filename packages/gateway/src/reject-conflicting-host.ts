import type { NodeRequest, NodeResponse } from '@fairlead/gateway-core/http/adapters/node-http'
import { hasConflictingHost } from '@fairlead/gateway-core/http/request-host'
import { makeRequestId } from '@fairlead/gateway-core/http/request-id'
import { requestIdField } from '@fairlead/gateway-core/http/response-fields'
import { errorBody, PlatformError } from '@fairlead/platform-server/platform-api/platform-error'

const message =
  'Send exactly one Host header, equal to the host of the request target or to :authority if there is one.'

/**
 * Rejects a request that names more than one host with 400. Over HTTP/1.1 it also closes the connection.
 *
 * @returns whether the request was rejected
 */
export function rejectConflictingHost(request: NodeRequest, response: NodeResponse): boolean {
  if (!hasConflictingHost(request)) return false
  const requestId = makeRequestId()
  response.statusCode = 400
  response.setHeader(requestIdField, requestId)
  void response.endAndLinger(
    request,
    JSON.stringify(errorBody(new PlatformError('invalid', { message }), requestId)),
  )
  return true
}
