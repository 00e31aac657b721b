import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Http2Server, ServerHttp2Session } from 'node:http2'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import {
  createServer as createTlsServer,
  type SecureContextOptions,
  type Server as TlsServer,
} from 'node:tls'
import { acceptorOptions, listenWithAcceptors } from './acceptors.ts'
import { readPreface } from './read-preface.ts'

/** Options of {@link createPortServer}. Times are in milliseconds. */
export interface PortServerOptions {
  /**
   * Handles HTTP/1.1 connections, including upgrades to WebSocket; it does not listen itself. A server of node:http, or
   * a server in front of it with the same interface.
   */
  readonly http1: HttpServer | Http1Connections
  /** Handles HTTP/2 connections, created by `createHttp2Server`; it does not listen itself. */
  readonly http2: Http2Server
  /** Key and certificate; without them the port uses plain text. */
  readonly tls?: SecureContextOptions | undefined
  /** The protocol for a TLS client that offers both (default `h2`). */
  readonly prefer?: 'h2' | 'http/1.1' | undefined
  /**
   * Timeout in milliseconds for the TLS handshake and for the first bytes, which identify the protocol (default 10 s).
   */
  readonly handshakeTimeoutMs?: number | undefined
  /** Maximum number of open connections; a further one is closed immediately. Default: unlimited. */
  readonly maxConnections?: number | undefined
  /**
   * Number of sockets that listen on the port (default 1), where the platform supports it (Linux with Node.js 23.1 or
   * later). Node.js accepts one connection of each in an event-loop tick, so many clients that connect at once do not
   * delay another one for long. Use 1 in a worker of `node:cluster`.
   */
  readonly acceptors?: number | undefined
  /** Calls `serve` when an HTTP/2 connection may be served, or destroys the socket; at once when omitted. */
  readonly admitHttp2?: ((socket: Socket, serve: () => void) => void) | undefined
}

/** A handler of HTTP/1.1 connections, such as a server of node:http. */
export interface Http1Connections {
  /** Hands over a connection; or reports that the port listens, which starts the checks for slow connections. */
  emit(event: 'connection', socket: Socket): unknown
  emit(event: 'listening'): unknown
  /** Closes connections without an active request; called repeatedly while the port closes. */
  closeIdleConnections(): void
  close(): void
}

/** One port for HTTP/1.1 and HTTP/2. */
export interface PortServer {
  readonly server: Server
  /** @throws Error when it does not listen */
  readonly address: AddressInfo
  /** Starts to listen; port 0 selects any free port. */
  listen(at?: { readonly host?: string | undefined; readonly port?: number | undefined }): Promise<void>
  /**
   * Replaces key and certificate for future connections.
   *
   * @throws TypeError when the port uses plain text; errors of node:tls for an invalid key
   */
  setSecureContext(tls: SecureContextOptions): void
  /** Number of open connections. */
  readonly connections: number
  /**
   * Accepts no further connection; open connections remain until `close`, HTTP/2 connections until their streams have
   * ended.
   */
  stopListening(): void
  /** Accepts no further connection, waits for active requests, and closes every connection after the grace period. */
  close(graceMs?: number): Promise<void>
}

// When more clients connect at once than the backlog holds, the excess connections appear established to the clients,
// but never get a response. The operating system caps the value.
const backlog = 4_096

/**
 * Creates a server that passes each of its connections to node:http or node:http2. With TLS it uses ALPN, and HTTP/1.1
 * for a client without ALPN; without TLS it uses the first bytes.
 *
 * @param options - the two servers, and key and certificate
 * @returns the server; it listens after a call of `listen`
 * @example
 * ```ts
 * const port = createPortServer({ http1: createServer(page), http2: grpc.http2 })
 * await port.listen({ port: 8_080 })
 * ```
 * @see RFC 9113, section 3 (starting HTTP/2); RFC 7301 (ALPN)
 */
export function createPortServer(options: PortServerOptions): PortServer {
  const { http1, http2, tls, handshakeTimeoutMs = 10_000, admitHttp2 = (_, serve) => serve() } = options
  const { maxConnections = Number.POSITIVE_INFINITY } = options
  const sockets = new Set<Socket>()
  // The sockets whose protocol is not known yet.
  const undecided = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const server = tls === undefined ? plainServer() : secureServer(tls)
  // A connection that could not be accepted, for example because of a lack of file handles, affects no other one.
  server.on('error', () => undefined)
  // The limit of the server itself does not include what the acceptors have accepted.
  server.prependListener('connection', limit)
  let accepted = 0
  let acceptors: readonly Server[] = []
  let deadline = Number.POSITIVE_INFINITY
  let closing: Promise<void> | undefined
  http2.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })

  function plainServer(): Server {
    return createServer(acceptorOptions, (socket) => {
      track(socket)
      undecided.add(socket)
      socket.once('close', () => undecided.delete(socket))
      readPreface(socket, handshakeTimeoutMs, (isHttp2) => {
        undecided.delete(socket)
        dispatch(socket, isHttp2)
      })
    })
  }

  function secureServer(secureContext: SecureContextOptions): TlsServer {
    const secure = createTlsServer({
      ...secureContext,
      ALPNProtocols: options.prefer === 'http/1.1' ? ['http/1.1', 'h2'] : ['h2', 'http/1.1'],
      handshakeTimeout: handshakeTimeoutMs,
      noDelay: true,
      allowHalfOpen: true,
    })
    // Sockets are tracked from the start: a client may be in the handshake when the port is closed.
    secure.on('connection', track)
    secure.on('tlsClientError', (_, socket) => socket.destroy())
    secure.on('secureConnection', (socket) => {
      track(socket)
      // A renegotiation costs the server far more than the client, and TLS 1.3 has none.
      socket.disableRenegotiation()
      dispatch(socket, socket.alpnProtocol === 'h2')
    })
    return secure
  }

  function limit(socket: Socket): void {
    if (accepted >= maxConnections) {
      socket.destroy()
      return
    }
    accepted += 1
    socket.once('close', () => (accepted -= 1))
  }

  function track(socket: Socket): void {
    sockets.add(socket)
    // The error affects this connection only, and the server that handles it receives it as well.
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  }

  function dispatch(socket: Socket, isHttp2: boolean): void {
    if (socket.destroyed) return
    if (closing !== undefined) {
      socket.destroy()
      return
    }
    // A half-open connection is useful for HTTP/1.1 only, where a client may end its side after the request.
    if (isHttp2) socket.allowHalfOpen = false
    if (isHttp2) admitHttp2(socket, () => serveHttp2(socket))
    else {
      http1.emit('connection', socket)
      socket.resume()
    }
  }

  function serveHttp2(socket: Socket): void {
    if (closing !== undefined) socket.destroy()
    if (!socket.destroyed) http2.emit('connection', socket)
  }

  async function close(): Promise<void> {
    const closed = server.listening ? once(server, 'close') : undefined
    stopListening()
    for (const socket of undecided) socket.destroy()
    while (sockets.size > 0 && performance.now() < deadline) {
      http1.closeIdleConnections()
      await pause(10)
    }
    for (const socket of sockets) socket.destroy()
    // Ends its background work: the check for slow connections.
    http1.close()
    await closed
  }

  function stopListening(): void {
    server.close()
    for (const acceptor of acceptors) acceptor.close()
    for (const session of sessions) session.close()
  }

  return {
    server,
    stopListening,
    get connections() {
      return sockets.size
    },
    get address() {
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('the port is not listened on')
      return address
    },
    async listen({ host = '127.0.0.1', port = 0 } = {}) {
      const { acceptors: count = 1 } = options
      acceptors = await listenWithAcceptors(server, { port, host, backlog, acceptors: count })
      // node:http starts its checks for slow headers and idle connections on this event.
      http1.emit('listening')
    },
    setSecureContext(secureContext) {
      if (!('setSecureContext' in server)) throw new TypeError('a port without TLS has no key')
      server.setSecureContext(secureContext)
    },
    close(graceMs = 0) {
      deadline = Math.min(deadline, performance.now() + graceMs)
      closing ??= close()
      return closing
    },
  }
}
