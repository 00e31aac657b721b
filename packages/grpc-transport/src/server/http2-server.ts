import { createServer, type Http2Server } from 'node:http2'
import { guardSession, type SessionLimits } from './guard-session.ts'

type OptionalLimits = { readonly [name in keyof SessionLimits]?: SessionLimits[name] | undefined }

/** How much one HTTP/2 connection may ask of a server; every limit has a default. */
export interface Http2ServerOptions extends OptionalLimits {
  /**
   * Bytes of a request body that may be on their way or unread, per stream (default 1 MiB). Node hands the window of
   * the connection back as bytes arrive, so unread requests of one connection hold at most this many bytes for each
   * of {@link maxConcurrentStreams}.
   */
  readonly streamWindowBytes?: number | undefined
  /** Streams that one connection may have open (default 1000). A stream beyond is refused, and many end the connection. */
  readonly maxConcurrentStreams?: number | undefined
  /**
   * Bytes of the header fields of a request, each counted with 32 more (default 16 KiB). It counts from when the peer has
   * acknowledged our settings; until then Node takes 9 frames of 16 KiB and as many fields as below.
   */
  readonly maxHeaderListBytes?: number | undefined
  /** Header fields of a request (default 128): stops floods of small fields, CONTINUATION frames included. */
  readonly maxHeaderPairs?: number | undefined
  /** Frames that break the protocol, or are DATA frames without data, before the connection is ended (default 100). */
  readonly maxSessionInvalidFrames?: number | undefined
  /** Streams refused for being too many before the connection is ended (default 100). */
  readonly maxSessionRejectedStreams?: number | undefined
  /** PING and SETTINGS frames of ours that a peer may leave unanswered (default 10). */
  readonly maxOutstandingPings?: number | undefined
  /** Megabytes that a connection may hold in queues and tables before new streams are refused (default 64). */
  readonly maxSessionMemory?: number | undefined
}

/**
 * Makes an HTTP/2 server with limits against hostile peers and no listeners; give it `stream` listeners only, since a
 * `request` listener would end a stream before its trailers.
 *
 * What stops what: header and CONTINUATION floods by {@link Http2ServerOptions.maxHeaderListBytes} and
 * {@link Http2ServerOptions.maxHeaderPairs} (CVE-2024-27316); rapid reset (CVE-2023-44487) and streams that a peer makes
 * the server reset (CVE-2025-8671) by {@link SessionLimits.streamResetBurst}, in Node and here, since Node refuses the
 * streams and keeps the connection; PING and SETTINGS floods by
 * {@link SessionLimits.maxControlFramesPerSecond} (CVE-2019-9512, CVE-2019-9515); empty DATA frames by
 * {@link Http2ServerOptions.maxSessionInvalidFrames} (CVE-2019-9518); peers that read nothing by
 * {@link SessionLimits.keepaliveTimeoutMs} (CVE-2019-9517); peers that say nothing by
 * {@link SessionLimits.handshakeTimeoutMs} and {@link SessionLimits.idleMs}.
 *
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
    })
  })
  // A connection that fails concerns nobody else, and its own streams learn of it.
  server.on('sessionError', () => undefined)
  // So does one that could not be accepted, as for want of file handles.
  server.on('error', () => undefined)
  return server
}
