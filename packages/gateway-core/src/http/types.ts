import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import type { PresetHeaders } from '@fairlead/http1'
import type { RequestSource } from './client-address.ts'

/**
 * A request, independent of server and HTTP version: the built-in HTTP/1.1 server, node:http or HTTP/2.
 *
 * Each server has one class for it, whose fields all exist from the start.
 */
export interface HttpRequest extends RequestSource {
  readonly method?: string | undefined
  /** Request target. */
  readonly url?: string | undefined
  readonly httpVersionMajor: number
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined; readonly destroyed: boolean }
  /** Whether the whole body was received. */
  readonly complete: boolean
  /** The whole body with one character per byte, when the server has already read it. */
  readonly bufferedBody: string | undefined
  /** The body as a stream, when it has not been read. */
  bodyStream(): Readable
  /** Alternating names and values of the headers, as received. */
  headerList(): readonly string[]
}

/** The response to a {@link HttpRequest}. */
export interface HttpResponse {
  statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  /** Whether the operating system has accepted the whole response. */
  readonly writableFinished: boolean
  /** Emitted once, when the response was sent or its connection has closed. */
  once(event: 'close', listener: () => void): unknown
  /**
   * Sets several headers together. The caller guarantees that they are valid.
   *
   * @returns false when they have to be set one by one
   */
  presetHeaders(headers: PresetHeaders): boolean
  setHeader(name: string, value: string | number | readonly string[]): unknown
  hasHeader(name: string): boolean
  /** Closes the connection when the client reads nothing for this long. */
  setTimeout(milliseconds: number): unknown
  /** Sends a complete response. */
  end(): unknown
  end(content: string | Uint8Array): unknown
  end(content: string | Uint8Array, encoding: 'utf8' | 'latin1'): unknown
  /**
   * The response as a stream, for content that is sent in chunks with backpressure. Destroying it closes the
   * connection.
   */
  contentStream(): Writable
  /** Sends the headers before any content. */
  flushHeaders(): void
  /** Closes the connection when this response, and those of its other streams, have been sent. */
  closeConnection(): void
  /** Whether the client has disconnected, according to the state of its connection. */
  isDisconnected(): boolean
  /** Sends a JSON text to a client that still sends its body, and closes the connection without a reset. */
  endAndLinger(request: HttpRequest, text: string): Promise<void>
  destroy(): unknown
}

/** Sends a complete response. */
export function sendContent(
  response: HttpResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  content?: string | Uint8Array,
): void {
  response.statusCode = status
  setHeaders(response, headers)
  if (content === undefined) response.end()
  else response.end(content)
}

/** Sets all headers that have a value. */
export function setHeaders(response: HttpResponse, headers: OutgoingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value)
  }
}
