import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import type { PresetHeaders } from '@fairlead/http1'
import type { RequestSource } from './client-address.ts'

/**
 * A request, whichever server and HTTP version it arrived by: the built-in HTTP/1.1 server, node:http or HTTP/2.
 *
 * Each server has one class for it, all of whose fields exist from the start.
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
  /** The whole body with a character for each byte, when the server has read it already. */
  readonly bufferedBody: string | undefined
  /** The body, when it was not read. */
  bodyStream(): Readable
  /** Names and values of the headers in turns, as received. */
  headerList(): readonly string[]
}

/** The response to a {@link HttpRequest}. */
export interface HttpResponse {
  statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  /** Whether the operating system has taken the whole response. */
  readonly writableFinished: boolean
  /** Emitted once: the response was sent, or its connection has closed. */
  once(event: 'close', listener: () => void): unknown
  /**
   * Sets headers that are known to be valid at once.
   *
   * @returns false where they have to be set one by one
   */
  presetHeaders(headers: PresetHeaders): boolean
  setHeader(name: string, value: string | number | readonly string[]): unknown
  hasHeader(name: string): boolean
  /** Ends the connection when the client accepts nothing for so long. */
  setTimeout(milliseconds: number): unknown
  /** Sends a response whole. */
  end(): unknown
  end(content: string | Uint8Array): unknown
  end(content: string | Uint8Array, encoding: 'utf8' | 'latin1'): unknown
  /** The same response for content that is sent piece by piece, with backpressure. Destroying it ends the connection. */
  contentStream(): Writable
  /** Sends the headers before any content. */
  flushHeaders(): void
  /** Whether the client is gone, as far as its connection tells. */
  isDisconnected(): boolean
  /** Sends a JSON text to a client that still sends its body, and ends the connection without a reset. */
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
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) response.setHeader(name, value)
  }
  if (content === undefined) response.end()
  else response.end(content)
}
