import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2'
import type { CancellationSignal } from '@fairlead/http1'
import { createSessions } from '@fairlead/grpc-transport'
import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import { type ConnectionRules, guardedConnect } from '@fairlead/gateway-core/network/guarded-connect'
import type { Connection } from '@fairlead/gateway-core/upstream/upstream'
import type { UpstreamUrl } from './parse-url.ts'

/** The connections to one gRPC upstream. */
export interface GrpcConnections extends Connection {
  readonly url: UpstreamUrl
  /**
   * Opens a stream of HTTP/2.
   *
   * @param headers - without those that open the upstream
   * @throws GrpcError UNAVAILABLE when the upstream cannot be reached
   */
  open(headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream>
  /** Rejects when the upstream does not answer a ping. */
  ping(signal: CancellationSignal): Promise<void>
  close(): Promise<void>
}

// What a reader that has stalled can make this service hold; at 50 ms from the node it still lets 40 MB a second pass.
const streamWindowBytes = 2 << 20

// Nodes keep some 40 seconds to go back to; one that has fallen silent must be given up well before that.
const keepaliveMs = 10_000
const keepaliveTimeoutMs = 5_000

// A caller may have another node to ask; this one is sought on behind.
const waitForReadyMs = 500

// With 100 streams each, as servers usually allow, several credentials can use up what is theirs.
const maxConnections = 128

/**
 * Opens connections to an upstream when they are needed.
 *
 * @param connectTimeoutMs - longest wait for a connection
 * @param rules - that each connection is checked against
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
    streamWindowBytes,
    waitForReadyMs,
    maxConnections,
  })
  const acquire = () =>
    sessions.acquire().catch(() => {
      // The cause may say where the node is.
      throw unreachable()
    })
  return {
    url,
    // The connections see to silence themselves.
    lastBytesAt: -Infinity,
    open: async (given) => {
      const headers = { ...given, ...url.metadata }
      for (let attempt = 1; ; attempt++) {
        const session = await acquire()
        try {
          return session.request(headers, { endStream: false })
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException
          if (code === undefined || !endOfSession.has(code)) {
            throw new GrpcError(Status.INVALID_ARGUMENT, 'An entry of the metadata cannot be sent.')
          }
          if (attempt === 2) throw unreachable()
        }
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

// A session may end between being found and being used.
const endOfSession: ReadonlySet<string> = new Set(['ERR_HTTP2_INVALID_SESSION', 'ERR_HTTP2_GOAWAY_SESSION'])

/** Whether the upstream has certainly not begun with the call of a stream that was closed. */
export function isUnprocessed(stream: ClientHttp2Stream): boolean {
  return stream.id === undefined || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
}

function unreachable(): GrpcError {
  return new GrpcError(Status.UNAVAILABLE, 'The node cannot be reached.')
}
