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

/** Limits of an HTTP/2 connection before and after the first authenticated request. */
export const http2Limits = {
  initial: { maxConcurrentStreams: 100, streamWindowBytes: 65_535, connectionWindowBytes: 1 << 20 },
  // The window of a stream is the most that is buffered while an upstream does not read.
  authenticated: {
    maxConcurrentStreams: 1_000,
    streamWindowBytes: 256 << 10,
    connectionWindowBytes: 16 << 20,
  },
} as const

/** Limits of the HTTP/2 connections of one address together, also of those that have ended: twice those of one. */
export const addressLimits = {
  resetBurst: 2_000,
  resetsPerSecond: 400,
  controlFramesPerSecond: 20_000,
} as const
