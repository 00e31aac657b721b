import type { RequestHandler } from '@fairlead/gateway-core/http/dependencies'
import type { WebSocketListener } from '../websocket/json-rpc-websocket.ts'
import { createJsonRpcHandler, type JsonRpcDependencies } from './json-rpc-http.ts'
import { isWebSocketOnly } from './rpc-routes.ts'

/** Makes the handler of all HTTP routes of EVM: calls by POST, and requests without an upgrade to paths of WebSockets. */
export function createEvmHandler(
  dependencies: JsonRpcDependencies,
  { refuse }: Pick<WebSocketListener, 'refuse'>,
): RequestHandler {
  const jsonRpc = createJsonRpcHandler(dependencies)
  return (request, response, match) =>
    isWebSocketOnly(match) ? refuse(request, response, match) : jsonRpc(request, response, match)
}
