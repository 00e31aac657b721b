import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  constants,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Readable, Writable } from 'node:stream'
import { endAndLinger } from '../lingering-close.ts'
import type { ProgressDeadlines } from '../progress-deadlines.ts'
import type { HttpRequest, HttpResponse } from '../types.ts'

/**
 * Serves an HTTP/2 request with the listeners for HTTP/1.1: node:http2 provides the same request and response
 * interface.
 *
 * @param server - its listeners serve the request
 * @param deadlines - end a request whose body stalls
 * @see RFC 9113, section 8
 */
export function serveOverHttp2(
  server: Server,
  deadlines: ProgressDeadlines,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  raw: readonly string[],
): void {
  // HTTP/2 has the host in another field.
  const { ':authority': authority, host = authority } = headers
  const headersWithHost = host === undefined ? headers : { ...headers, host }
  const request = new Http2Request(stream, headersWithHost, {}, raw)
  const response = new Http2Response(stream)
  if (!stream.endAfterHeaders) {
    const body = { moved: () => request.received, due: () => (request.isAwaited ? 1 : 0) }
    const stop = deadlines.watch(body, () => stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM))
    stream.once('close', stop)
  }
  server.emit('request', request as unknown as IncomingMessage, response as unknown as ServerResponse)
}

/** An HTTP/2 request that counts the bytes of its body. */
class Http2Request extends Http2ServerRequest implements HttpRequest {
  readonly bufferedBody = undefined
  readonly headState = undefined
  received = 0

  bodyStream(): Readable {
    return this
  }

  headerList(): readonly string[] {
    return this.rawHeaders
  }

  /** Whether the body is being read and its next bytes have not arrived. */
  get isAwaited(): boolean {
    return !this.complete && !this.isPaused() && this.readableLength === 0
  }

  override push(chunk: Uint8Array | null): boolean {
    this.received += chunk?.length ?? 0
    return super.push(chunk)
  }
}

/** An HTTP/2 response. */
class Http2Response extends Http2ServerResponse implements HttpResponse {
  readonly #stream: ServerHttp2Stream

  constructor(stream: ServerHttp2Stream) {
    super(stream)
    this.#stream = stream
    // Unlike node:http, the class does not have this property.
    Object.defineProperty(this, 'destroyed', { get: () => this.#stream.destroyed })
  }

  declare readonly destroyed: boolean
  declare readonly writableFinished: boolean
  declare readonly flushHeaders: () => void

  presetHeaders(): false {
    return false
  }

  contentStream(): Writable {
    return this
  }

  closeConnection(): void {
    this.#stream.session?.close()
  }

  isDisconnected(): boolean {
    return this.#stream.destroyed
  }

  endAndLinger(request: HttpRequest, text: string): Promise<void> {
    return endAndLinger(request, this, text)
  }
}
