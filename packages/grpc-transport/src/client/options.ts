import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { hasEncoding, type MessageEncoding } from '../compression.ts'

/** Options of the connections to one server. Times are in milliseconds, sizes in bytes. */
export interface SessionsOptions {
  /** TLS options, for example `ca` for a private CA. */
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
   * Opens the socket of a connection instead of `net.connect` and `tls.connect`, for example to check the resolved IP
   * address. The options are those of these functions; a socket that is destroyed with an error counts as not
   * connected.
   */
  readonly connect?:
    | ((
        options: ConnectionOptions & { readonly host: string; readonly port: number },
        isSecure: boolean,
      ) => Socket)
    | undefined
  /** Timeout for opening a connection in milliseconds. Default 10000. */
  readonly connectTimeoutMs?: number | undefined
  /**
   * Maximum wait in milliseconds for a server that could not be reached on the last attempt; attempts continue in the
   * background. Default: no maximum, calls wait until the next attempt has failed, which may begin up to 5 s later.
   */
  readonly waitForReadyMs?: number | undefined
  /** Milliseconds without a byte from the server after which a PING is sent. 0 disables PINGs. Default 15000. */
  readonly keepaliveMs?: number | undefined
  /** Milliseconds without a response to the PING before the connection counts as lost. Default 10000. */
  readonly keepaliveTimeoutMs?: number | undefined
  /**
   * Milliseconds without a call after which the last connection is closed too, rounded up to `keepaliveMs`. Default:
   * never. Without PINGs, idle connections remain open.
   */
  readonly idleTimeoutMs?: number | undefined
  /** Flow-control window of one stream in bytes. Default 8 MiB. */
  readonly streamWindowBytes?: number | undefined
  /** Flow-control window of a connection in bytes. Default 16 MiB. */
  readonly connectionWindowBytes?: number | undefined
  /**
   * Maximum number of connections. Another one is opened when each has as many streams as the server allows. Default
   * 16.
   */
  readonly maxConnections?: number | undefined
}

/** Options of `createHttp2Transport`. */
export interface Http2TransportOptions extends SessionsOptions {
  /** Maximum size of one received message in bytes, before and after decompression. Default 64 MiB. */
  readonly maxMessageBytes?: number | undefined
  /** Compression of sent messages. Default: none. zstd requires Node.js 22.15. */
  readonly compression?: MessageEncoding | undefined
  /**
   * Compression that the server may use. Default: none, or only `compression`. Servers that may compress often always
   * do so, and on a busy stream that costs more than it saves.
   */
  readonly acceptCompression?: readonly MessageEncoding[] | undefined
  /** Value of the `user-agent` header. Default `grpc-node-fairlead`. */
  readonly userAgent?: string | undefined
}

const mebibyte = 1_048_576
/** The longest timer delay in milliseconds: a longer one would fire at once. */
export const longestMs = 2 ** 31 - 1
const largestWindow = 2 ** 31 - 1

export type SessionsSettings = Readonly<Record<Exclude<keyof SessionsOptions, 'connect' | 'tls'>, number>> &
  Pick<SessionsOptions, 'connect' | 'tls'>

/**
 * Applies the defaults to the options of connections.
 *
 * @throws RangeError for a number out of its range
 */
export function sessionsSettings(options: SessionsOptions): SessionsSettings {
  const number = (name: keyof SessionsOptions, defaultValue: number, min: number, max: number): number => {
    const value = options[name] ?? defaultValue
    if (typeof value === 'number' && value >= min && value <= max) return value
    throw new RangeError(`${name} must be a number from ${min} to ${max}`)
  }
  return {
    connect: options.connect,
    tls: options.tls,
    connectTimeoutMs: number('connectTimeoutMs', 10_000, 1, longestMs),
    waitForReadyMs: number('waitForReadyMs', Infinity, 0, Infinity),
    keepaliveMs: number('keepaliveMs', 15_000, 0, longestMs),
    keepaliveTimeoutMs: number('keepaliveTimeoutMs', 10_000, 1, longestMs),
    idleTimeoutMs: number('idleTimeoutMs', Infinity, 1, Infinity),
    streamWindowBytes: number('streamWindowBytes', 8 * mebibyte, 65_535, largestWindow),
    connectionWindowBytes: number('connectionWindowBytes', 16 * mebibyte, 65_535, largestWindow),
    maxConnections: number('maxConnections', 16, 1, Infinity),
  }
}

/** Settings that all calls of a transport share. */
export interface CallSettings {
  readonly maxMessageBytes: number
  readonly compression: MessageEncoding | undefined
  /** Bytes of unread messages above which reading from the stream stops. */
  readonly queueBytes: number
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Applies the defaults to the options of calls.
 *
 * @throws RangeError for a number out of its range, or a compression that this Node.js version does not support
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
