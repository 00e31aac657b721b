import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { hasEncoding, type MessageEncoding } from '../compression.ts'

export interface SessionsOptions {
  /** Settings of TLS, for example `ca` for a certificate of one's own. */
  readonly tls?:
    | Pick<
        ConnectionOptions,
        | 'ca'
        | 'cert'
        | 'checkServerIdentity'
        | 'ciphers'
        | 'key'
        | 'minVersion'
        | 'rejectUnauthorized'
        | 'servername'
      >
    | undefined
  /**
   * Opens the socket of a connection in place of `net.connect` and `tls.connect`, for example to check the resolved
   * address. The options are those of these functions; a socket that is destroyed with an error counts as not connected.
   */
  readonly connect?:
    | ((
        options: ConnectionOptions & { readonly host: string; readonly port: number },
        isSecure: boolean,
      ) => Socket)
    | undefined
  /** Limit for opening a connection in milliseconds. Default 10000. */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Longest wait in milliseconds for a server that could not be reached the last time; the attempts go on behind. Default
   * none: until the next attempt has failed, which may begin in 5 s.
   */
  readonly waitForReadyMs?: number | undefined
  /** Milliseconds without a byte from the server after which it is asked for a sign of life. 0 never asks. Default 15000. */
  readonly keepaliveMs?: number | undefined
  /** Milliseconds that it has for one before the connection counts as lost. Default 10000. */
  readonly keepaliveTimeoutMs?: number | undefined
  /** Bytes that the server may send ahead on one stream. Default 8 MiB. */
  readonly streamWindowBytes?: number | undefined
  /** Bytes that the server may send ahead on a connection. Default 16 MiB. */
  readonly connectionWindowBytes?: number | undefined
  /** Most connections, opened one after the other as each has as many streams as the server allows. Default 16. */
  readonly maxConnections?: number | undefined
}

export interface Http2TransportOptions extends SessionsOptions {
  /** Most bytes of one message that comes, before and after decompression. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined
  /** How messages that are sent are compressed; not at all when left out. zstd needs Node 22.15. */
  readonly compression?: MessageEncoding | undefined
  /**
   * How the server may compress what it sends. Default none, or `compression` alone: servers that may compress often do
   * so always, and at the rate of a busy stream that costs more than it saves.
   */
  readonly acceptCompression?: readonly MessageEncoding[] | undefined
  /** Value of the `user-agent` header. Default `grpc-node-fairlead`. */
  readonly userAgent?: string | undefined
}

const mebibyte = 1_048_576
/** The longest wait of a timer in milliseconds: a longer one would end at once. */
export const longestMs = 2 ** 31 - 1
const largestWindow = 2 ** 31 - 1

export type SessionsSettings = Readonly<Record<Exclude<keyof SessionsOptions, 'connect' | 'tls'>, number>> &
  Pick<SessionsOptions, 'connect' | 'tls'>

/**
 * Fills in the options of connections.
 *
 * @throws RangeError for a number out of its range
 */
export function sessionsSettings(options: SessionsOptions): SessionsSettings {
  const number = (name: keyof SessionsOptions, usual: number, least: number, most: number): number => {
    const value = options[name] ?? usual
    if (typeof value === 'number' && value >= least && value <= most) return value
    throw new RangeError(`${name} must be a number from ${least} to ${most}`)
  }
  return {
    connect: options.connect,
    tls: options.tls,
    connectTimeoutMs: number('connectTimeoutMs', 10_000, 1, longestMs),
    waitForReadyMs: number('waitForReadyMs', Infinity, 0, Infinity),
    keepaliveMs: number('keepaliveMs', 15_000, 0, longestMs),
    keepaliveTimeoutMs: number('keepaliveTimeoutMs', 10_000, 1, longestMs),
    streamWindowBytes: number('streamWindowBytes', 8 * mebibyte, 65_535, largestWindow),
    connectionWindowBytes: number('connectionWindowBytes', 16 * mebibyte, 65_535, largestWindow),
    maxConnections: number('maxConnections', 16, 1, Infinity),
  }
}

/** What all calls of a transport share. */
export interface CallSettings {
  readonly maxMessageBytes: number
  readonly compression: MessageEncoding | undefined
  /** Bytes of messages that nobody reads after which no more are taken from the stream. */
  readonly queueBytes: number
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Fills in the options of calls.
 *
 * @throws RangeError for a number out of its range, or a compression that this Node does not have
 */
export function callSettings(
  options: Http2TransportOptions,
  authority: string,
  scheme: string,
  streamWindowBytes: number,
): CallSettings {
  const { compression, acceptCompression = compression ? [compression] : [] } = options
  const { maxMessageBytes = 64 * mebibyte, userAgent = 'grpc-node-fairlead' } = options
  if (!(maxMessageBytes > 0)) throw new RangeError('maxMessageBytes must be a number above 0')
  for (const encoding of [...acceptCompression, ...(compression ? [compression] : [])]) {
    if (!hasEncoding(encoding)) throw new RangeError(`compression ${encoding} is not there in this Node`)
  }
  return {
    maxMessageBytes,
    compression,
    queueBytes: Math.min(mebibyte, streamWindowBytes),
    headers: {
      ':method': 'POST',
      ':scheme': scheme,
      ':authority': authority,
      te: 'trailers',
      'content-type': 'application/grpc',
      'user-agent': userAgent,
      'grpc-accept-encoding': ['identity', ...acceptCompression].join(','),
      ...(compression && { 'grpc-encoding': compression }),
    },
  }
}
