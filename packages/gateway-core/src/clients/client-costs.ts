/**
 * Bytes of resident memory that a connection or a stream of a client costs. Measured with idle connections: 7 KiB over
 * HTTP/1.1, 27 KiB with an incomplete head of 15 KiB, 12 KiB over HTTP/2, and 51 KiB more for TLS; an unfinished request
 * over HTTP/2 costs 14 KiB.
 */
export const clientCosts = {
  /** A connection, with the longest head of a request over HTTP/1.1. */
  http1: 28 << 10,
  /** The part of a request body that node:http reads in advance. */
  unreadHttp1: 64 << 10,
  /** What HTTP/2 adds: the longest block of header fields, and two tables of header compression. */
  http2: 72 << 10,
  /** What TLS adds. */
  tls: 52 << 10,
  /** An HTTP/2 stream with its request and response, without its header fields. */
  stream: 16 << 10,
  /** The object of a name or value of a header field. */
  headerText: 24,
} as const

/**
 * Limits of an HTTP/2 connection before and after the first authenticated request. Fewer streams may be open when an
 * address has many connections, see {@link streamsOfConnection}.
 */
export const http2Limits = {
  initial: { maxConcurrentStreams: 100, streamWindowBytes: 65_535, connectionWindowBytes: 1 << 20 },
  // The window of a stream is the most that is buffered while an upstream does not read.
  authenticated: {
    maxConcurrentStreams: 250,
    streamWindowBytes: 256 << 10,
    connectionWindowBytes: 16 << 20,
  },
} as const

const streamsOfAddress = 1_000
const minStreams = 10

/**
 * Returns how many streams may be open on an HTTP/2 connection. Node.js processes all streams that have arrived on all
 * connections in one event-loop tick, so their number is limited for an address, not only for a connection.
 *
 * @param most - the number for an address with few connections
 * @param connections - open connections of the address
 */
export function streamsOfConnection(most: number, connections: number): number {
  return Math.min(most, Math.max(minStreams, Math.floor(streamsOfAddress / connections)))
}

/** Limits of the HTTP/2 connections of one address together, also of those that have ended. */
export const addressLimits = {
  resetBurst: 500,
  resetsPerSecond: 200,
  /** Streams that open before a request on their connection is authenticated. */
  streamBurst: 500,
  streamsPerSecond: 200,
  controlFramesPerSecond: 20_000,
} as const
