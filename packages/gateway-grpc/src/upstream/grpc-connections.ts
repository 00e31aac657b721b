import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import { type CancellationSignal, FairShares, type Tenant } from '@fairlead/runtime'
import { createSessions } from '@fairlead/grpc-transport'
import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import { type ConnectionRules, guardedConnect } from '@fairlead/gateway-core/network/guarded-connect'
import type { Connection } from '@fairlead/gateway-core/upstream/upstream'
import type { UpstreamUrl } from './parse-url.ts'

/** A request for a stream. */
export interface StreamRequest {
  /** Without the upstream's credential. */
  readonly headers: OutgoingHttpHeaders
  /** The client. Tenants share the streams of an upstream. */
  readonly tenant: Tenant
}

/** The connections to one gRPC upstream. */
export interface GrpcConnections extends Connection {
  readonly url: UpstreamUrl
  /**
   * Opens an HTTP/2 stream.
   *
   * @throws GrpcError UNAVAILABLE when the upstream cannot be reached, RESOURCE_EXHAUSTED when the tenant uses its share
   * of the streams
   */
  open(request: StreamRequest): Promise<ClientHttp2Stream>
  /** Rejects when the upstream does not respond to a ping. */
  ping(signal: CancellationSignal): Promise<void>
  close(): Promise<void>
}

/**
 * Maximum number of bytes that a stalled reader makes the gateway buffer; at 50 ms from the upstream it still allows 40
 * MB/s.
 */
export const upstreamWindowBytes = 2 << 20

// Upstreams store about 40 seconds of updates for a replay, so a silent upstream must be abandoned well before that.
const keepaliveMs = 10_000
const keepaliveTimeoutMs = 5_000

// Not every upstream has health checks, and one that is removed from all nodes remains here without calls. A NAT
// gateway commonly drops idle connections after 350 seconds.
const idleTimeoutMs = 300_000

// A caller may have another upstream to try. The connection attempt continues in the background.
const waitForReadyMs = 500

// With 100 streams each, as servers usually allow, several credentials can use up their limits.
const maxConnections = 128
// Number of streams on a connection while the limit of the server is unknown.
const usualStreams = 100

// Number of streams that a tenant may use although others use more.
const alwaysGranted = 8

/**
 * Opens connections to an upstream on demand.
 *
 * @param connectTimeoutMs - maximum wait for a connection, in milliseconds
 * @param rules - rules that each connection is checked against
 */
export function createGrpcConnections(
  url: UpstreamUrl,
  connectTimeoutMs: number,
  rules: ConnectionRules,
): GrpcConnections {
  const sessions = createSessions(url.url, {
    connect: (options, isSecure) => guardedConnect(options, isSecure, rules),
    connectTimeoutMs,
    keepaliveMs,
    keepaliveTimeoutMs,
    idleTimeoutMs,
    streamWindowBytes: upstreamWindowBytes,
    waitForReadyMs,
    maxConnections,
  })
  const shares = new FairShares({ capacity: maxConnections * usualStreams, alwaysGranted })
  const acquire = () =>
    sessions.acquire().catch(() => {
      // The cause may reveal the upstream's URL.
      throw unreachable()
    })
  const open = async (headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream> => {
    for (let attempt = 1; ; attempt++) {
      const session = await acquire()
      try {
        return session.request(headers, { endStream: false })
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === undefined || !sessionEndedCodes.has(code)) {
          throw new GrpcError(Status.INVALID_ARGUMENT, 'A metadata entry contains an invalid character.')
        }
        // resend: ended session
        if (attempt === 2) throw unreachable()
      }
    }
  }
  return {
    url,
    // The connections detect silence themselves.
    lastBytesAt: -Infinity,
    // HTTP/2 assigns responses to calls by the stream.
    mismatchedResponses: 0,
    open: async (request) => {
      const { maxStreams } = sessions
      if (maxStreams !== Infinity) shares.capacity = maxStreams
      const share = shares.take(request.tenant, 1)
      if (!share) throw exhausted()
      try {
        const stream = await open({ ...request.headers, ...url.metadata })
        stream.once('close', () => shares.give(share, 1))
        return stream
      } catch (error) {
        shares.give(share, 1)
        throw error
      }
    },
    ping: async (signal) => {
      const session = await acquire()
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        session.ping((error) => (error ? reject(error) : resolve()))
      })
    },
    close: () => sessions.close(),
  }
}

// A session may end between its acquisition and its use.
const sessionEndedCodes: ReadonlySet<string> = new Set([
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_GOAWAY_SESSION',
])

/** Whether the upstream has certainly not begun to process the call of a closed stream. */
export function isUnprocessed(stream: ClientHttp2Stream): boolean {
  return stream.id === undefined || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
}

/** Releases a stream. An upstream that has sent its full response receives an end, not a reset. */
export function releaseStream(stream: ClientHttp2Stream, isResponseComplete: boolean): void {
  if (stream.closed) return
  if (!isResponseComplete || stream.writableLength > 0) stream.close(constants.NGHTTP2_CANCEL)
  else {
    stream.resume()
    if (!stream.writableEnded) stream.end()
  }
}

function exhausted(): GrpcError {
  return new GrpcError(
    Status.RESOURCE_EXHAUSTED,
    'The organization uses its share of the streams of the upstream. Try again when one has ended.',
  )
}

function unreachable(): GrpcError {
  return new GrpcError(Status.UNAVAILABLE, 'The upstream is unreachable.')
}
