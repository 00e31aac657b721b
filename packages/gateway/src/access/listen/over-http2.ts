import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'

/**
 * Lets the listeners for HTTP/1.1 answer a request that came over HTTP/2: node:http2 gives it the same form.
 *
 * @param server - whose listeners answer
 * @see RFC 9113, section 8
 */
export function answerOverHttp2(
  server: Server,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  raw: readonly string[],
): void {
  // The host stands in another field there.
  const { ':authority': authority, host = authority } = headers
  const seen = host === undefined ? headers : { ...headers, host }
  const request = new Http2ServerRequest(stream, seen, {}, raw)
  const response = new Http2ServerResponse(stream)
  // As those of node:http do, it tells when it can be answered no more.
  Object.defineProperty(response, 'destroyed', { get: () => stream.destroyed })
  server.emit('request', request as unknown as IncomingMessage, response as unknown as ServerResponse)
}
