import { createServer, type Http2Server } from 'node:http2'
import { guardSession, type SessionLimits } from './guard-session.ts'

type OptionalLimits = { readonly [name in keyof SessionLimits]?: SessionLimits[name] | undefined }

/** Limits of one HTTP/2 connection; every limit has a default. */
export interface Http2ServerOptions extends OptionalLimits {
  /**
   * Bytes of a request body that may be in transit or unread, per stream (default 1 MiB). Node.js restores the window
   * of the connection as bytes arrive, so unread requests of one connection use at most this many bytes for each of
   * {@link maxConcurrentStreams}.
   */
  readonly streamWindowBytes?: number | undefined
  /**
   * Maximum number of open streams of one connection (default 1000). A further stream is refused, and many of them
   * close the connection.
   */
  readonly maxConcurrentStreams?: number | undefined
  /**
   * Maximum size of the header fields of a request in bytes, each counted with 32 more (default 16 KiB). It applies
   * after the peer has acknowledged the settings; until then Node.js accepts 9 frames of 16 KiB and as many fields as
   * below.
   */
  readonly maxHeaderListBytes?: number | undefined
  /**
   * Maximum number of header fields of a request (default 128): stops floods of small fields, including CONTINUATION
   * frames.
   */
  readonly maxHeaderPairs?: number | undefined
  /**
   * Maximum number of frames that violate the protocol, or DATA frames without data, before the connection is closed
   * (default 100).
   */
  readonly maxSessionInvalidFrames?: number | undefined
  /** Maximum number of refused excess streams before the connection is closed (default 100). */
  readonly maxSessionRejectedStreams?: number | undefined
  /** Maximum number of unacknowledged PING and SETTINGS frames of the server (default 10). */
  readonly maxOutstandingPings?: number | undefined
  /** Maximum memory of a connection in queues and tables before new streams are refused, in megabytes (default 64). */
  readonly maxSessionMemory?: number | undefined
}

/**
 * Creates an HTTP/2 server with limits against hostile peers and without listeners. Add `stream` listeners only,
 * because a `request` listener would end a stream before its trailers.
 *
 * The limits against each attack:
 *
 * - header and CONTINUATION floods (CVE-2024-27316): {@link Http2ServerOptions.maxHeaderListBytes} and
 *   {@link Http2ServerOptions.maxHeaderPairs}
 * - rapid reset (CVE-2023-44487) and streams that a peer makes the server reset (CVE-2025-8671):
 *   {@link SessionLimits.streamResetBurst}, in Node.js and here, because Node.js refuses the streams but keeps the
 *   connection; {@link SessionLimits.onPeerEvent} for peers that reconnect
 * - PING and SETTINGS floods (CVE-2019-9512, CVE-2019-9515): {@link SessionLimits.maxControlFramesPerSecond}
 * - empty DATA frames (CVE-2019-9518): {@link Http2ServerOptions.maxSessionInvalidFrames}
 * - peers that do not read (CVE-2019-9517): {@link SessionLimits.keepaliveTimeoutMs}
 * - peers that do not send: {@link SessionLimits.handshakeTimeoutMs} and {@link SessionLimits.idleMs}
 *
 * @param options - limits of each connection; times in milliseconds, sizes in bytes unless stated otherwise
 * @returns the server, which does not listen yet
 * @example
 * ```ts
 * const http2 = createHttp2Server({ maxConcurrentStreams: 100 })
 * http2.on('stream', (stream) => respondStatus(stream, Status.UNAVAILABLE, 'soon'))
 * ```
 * @see RFC 9113, section 10.5
 */
export function createHttp2Server(options: Http2ServerOptions = {}): Http2Server {
  const { streamResetBurst = 1_000, streamResetRate = 200 } = options
  const server = createServer({
    settings: {
      initialWindowSize: options.streamWindowBytes ?? 1 << 20,
      maxConcurrentStreams: options.maxConcurrentStreams ?? 1_000,
      maxHeaderListSize: options.maxHeaderListBytes ?? 16 << 10,
    },
    maxHeaderListPairs: options.maxHeaderPairs ?? 128,
    maxSessionInvalidFrames: options.maxSessionInvalidFrames ?? 100,
    maxSessionRejectedStreams: options.maxSessionRejectedStreams ?? 100,
    streamResetBurst,
    streamResetRate,
    maxOutstandingPings: options.maxOutstandingPings ?? 10,
    maxSessionMemory: options.maxSessionMemory ?? 64,
  })
  server.on('session', (session) => {
    guardSession(session, {
      connectionWindowBytes: options.connectionWindowBytes ?? 16 << 20,
      handshakeTimeoutMs: options.handshakeTimeoutMs ?? 10_000,
      idleMs: options.idleMs ?? 300_000,
      keepaliveMs: options.keepaliveMs ?? 30_000,
      keepaliveTimeoutMs: options.keepaliveTimeoutMs ?? 20_000,
      maxControlFramesPerSecond: options.maxControlFramesPerSecond ?? 10_000,
      streamResetBurst,
      streamResetRate,
      onPeerEvent: options.onPeerEvent ?? (() => true),
    })
  })
  // A connection that fails affects no other one, and its own streams receive the error.
  server.on('sessionError', () => undefined)
  // The same applies to a connection that could not be accepted, for example because of a lack of file handles.
  server.on('error', () => undefined)
  return server
}
