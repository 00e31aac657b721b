import type { Transport } from '../wire/call.ts'
import { Http2Call } from './http2-call.ts'
import { callSettings, type Http2TransportOptions, sessionsSettings } from './options.ts'
import { createConnections } from './sessions.ts'
import { readTarget } from './target.ts'

/**
 * Creates a transport to a gRPC server over HTTP/2. A call is a stream, and flow control leaves unread messages on the
 * server. Connections are managed as in {@link createSessions}.
 *
 * @param url - `https://host[:port]`, or `http://host:port` for HTTP/2 without TLS
 * @param options - timeouts in milliseconds, sizes and windows in bytes, compression, TLS options
 * @returns the transport; it connects on first use
 * @throws TypeError for another form of URL, RangeError for an option out of its range
 * @example
 * ```ts
 * const transport = createHttp2Transport('https://node.example.com')
 * const metadata = { 'x-token': token }
 * const response = await callUnary(transport, { path: '/geyser.Geyser/GetVersion', metadata }, new Uint8Array())
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export function createHttp2Transport(url: string, options: Http2TransportOptions = {}): Transport {
  const connections = createConnections(url, options)
  const { isSecure, authority } = readTarget(url)
  const { streamWindowBytes } = sessionsSettings(options)
  const settings = callSettings(options, authority, isSecure ? 'https' : 'http', streamWindowBytes)
  return {
    open: (start) => new Http2Call(start, settings, connections),
    close: () => connections.close(),
  }
}
