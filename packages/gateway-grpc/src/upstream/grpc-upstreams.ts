import { GrpcError, Status } from '@fairlead/grpc-transport/wire'
import { createSessions, type Sessions } from '@fairlead/grpc-transport'
import type { ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import { constants } from 'node:http2'
import { guardedConnect } from '@fairlead/gateway-core/network/guarded-connect'
import { operatorUpstreams, type UpstreamRules } from '@fairlead/gateway-core/network/upstream-rules'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { usedAddresses } from '@fairlead/gateway-core/grants/parse-upstreams'
import { type UpstreamUrl, parseUpstreamUrl } from './parse-url.ts'

/** A gRPC node. */
export interface GrpcUpstream {
  readonly address: UpstreamUrl
  /**
   * Opens a stream of HTTP/2.
   *
   * @param headers - without those that open the node
   * @throws GrpcError UNAVAILABLE when the node cannot be reached
   */
  open(headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream>
}

/** The connections to all gRPC nodes, opened when first needed. */
export interface GrpcUpstreams {
  /** @throws GrpcError UNAVAILABLE when the node has no usable address */
  of(grant: Grant): GrpcUpstream
  /** Rejects when there is an embedded chain that does not answer. */
  embeddedAnswer(signal: AbortSignal): Promise<void>
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
 * Makes the set of connections to gRPC nodes.
 *
 * @param connectTimeoutMs - longest wait for a connection
 * @param embedded - address of the embedded chain, for nodes whose upstream is `devnet`
 * @param upstreamRules - that each connection is checked against
 */
export function createGrpcUpstreams(
  connectTimeoutMs: number,
  embedded: string | undefined,
  upstreamRules: UpstreamRules = operatorUpstreams,
): GrpcUpstreams {
  const open = new Map<string, GrpcUpstream & { readonly sessions: Sessions }>()
  const at = (text: string) => {
    const known = open.get(text)
    if (known) return known
    const address = parseUpstreamUrl(text)
    if (!address) throw unavailable('The upstream address of this node is not a gRPC address.')
    const rules = upstreamRules.of(text)
    const sessions = createSessions(address.url, {
      connect: (options, isSecure) => guardedConnect(options, isSecure, rules),
      connectTimeoutMs,
      keepaliveMs,
      keepaliveTimeoutMs,
      streamWindowBytes,
      waitForReadyMs,
      maxConnections,
    })
    const node = {
      address,
      sessions,
      open: (headers: OutgoingHttpHeaders) => request(sessions, { ...headers, ...address.metadata }),
    }
    open.set(text, node)
    return node
  }
  return {
    of: (grant) => {
      const [word] = usedAddresses(grant.upstreams['grpc'])
      const address = word === 'devnet' ? embedded : word
      if (address === undefined) throw unavailable('This node has no upstream for grpc.')
      return at(address)
    },
    embeddedAnswer: async (signal) => {
      if (embedded === undefined) return
      const session = await at(embedded).sessions.acquire()
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        session.ping((error) => (error ? reject(error) : resolve()))
      })
    },
    close: async () => {
      await Promise.all([...open.values()].map(({ sessions }) => sessions.close()))
    },
  }
}

async function request(sessions: Sessions, headers: OutgoingHttpHeaders): Promise<ClientHttp2Stream> {
  for (let attempt = 1; ; attempt++) {
    const session = await sessions.acquire().catch(() => {
      // The cause may say where the node is.
      throw unavailable('The node cannot be reached.')
    })
    try {
      return session.request(headers, { endStream: false })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === undefined || !endOfSession.has(code)) {
        throw new GrpcError(Status.INVALID_ARGUMENT, 'An entry of the metadata cannot be sent.')
      }
      if (attempt === 2) throw unavailable('The node cannot be reached.')
    }
  }
}

// A session may end between being found and being used.
const endOfSession: ReadonlySet<string> = new Set(['ERR_HTTP2_INVALID_SESSION', 'ERR_HTTP2_GOAWAY_SESSION'])

/** Whether the node has certainly not begun with the call of a stream that was closed. */
export function isUnprocessed(stream: ClientHttp2Stream): boolean {
  return stream.id === undefined || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM
}

function unavailable(detail: string): GrpcError {
  return new GrpcError(Status.UNAVAILABLE, detail)
}
