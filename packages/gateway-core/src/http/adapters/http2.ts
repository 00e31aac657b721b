import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  constants,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { ProgressDeadlines } from '../progress-deadlines.ts'

/**
 * Lets the listeners for HTTP/1.1 answer a request that came over HTTP/2: node:http2 gives it the same form.
 *
 * @param server - whose listeners answer
 * @param deadlines - end a request whose body stalls
 * @see RFC 9113, section 8
 */
export function answerOverHttp2(
  server: Server,
  deadlines: ProgressDeadlines,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  raw: readonly string[],
): void {
  // The host stands in another field there.
  const { ':authority': authority, host = authority } = headers
  const seen = host === undefined ? headers : { ...headers, host }
  const request = new CountedRequest(stream, seen, {}, raw)
  const response = new Http2ServerResponse(stream)
  // As those of node:http do, it tells when it can be answered no more.
  Object.defineProperty(response, 'destroyed', { get: () => stream.destroyed })
  if (!stream.endAfterHeaders) {
    const body = { moved: () => request.received, due: () => (request.isAwaited ? 1 : 0) }
    const stop = deadlines.watch(body, () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM))
    stream.once('close', stop)
  }
  server.emit('request', request as unknown as IncomingMessage, response as unknown as ServerResponse)
}

/** A request that counts the bytes of its body. */
class CountedRequest extends Http2ServerRequest {
  received = 0

  /** Whether the body is read, and the next bytes of it have not come. */
  get isAwaited(): boolean {
    return !this.complete && !this.isPaused() && this.readableLength === 0
  }

  override push(chunk: Uint8Array | null): boolean {
    this.received += chunk?.length ?? 0
    return super.push(chunk)
  }
}
