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
import { readPreface } from './read-preface.ts'

export interface PortServerOptions {
  /**
   * Takes the connections of HTTP/1.1, upgrades to WebSocket included; it does not listen itself. A server of node:http,
   * or what stands before one and takes its connections the same way.
   */
  readonly http1: HttpServer | Http1Connections
  /** Takes the connections of HTTP/2, as `createHttp2Server` makes it; it does not listen itself. */
  readonly http2: Http2Server
  /** Key and certificate; without them the port speaks in plain text. */
  readonly tls?: SecureContextOptions | undefined
  /** What a client with TLS gets that offers both (default `h2`). */
  readonly prefer?: 'h2' | 'http/1.1' | undefined
  /** Milliseconds in which a connection has to end its TLS handshake or to show what it speaks (default 10 s). */
  readonly handshakeTimeoutMs?: number | undefined
  /** Connections that may be open; one beyond is closed at once. As many as there are when left out. */
  readonly maxConnections?: number | undefined
}

/** What takes connections of HTTP/1.1, as a server of node:http does. */
export interface Http1Connections {
  /** Hands over a connection; or tells that the port listens, from when on slow ones are watched over. */
  emit(event: 'connection', socket: Socket): unknown
  emit(event: 'listening'): unknown
  /** Ends connections without a request on its way; called again and again while the port closes. */
  closeIdleConnections(): void
  close(): void
}

/** One port for HTTP/1.1 and HTTP/2. */
export interface PortServer {
  readonly server: Server
  /** @throws Error when it does not listen */
  readonly address: AddressInfo
  /** Listens; a port of 0 takes any that is free. */
  listen(at?: { readonly host?: string | undefined; readonly port?: number | undefined }): Promise<void>
  /**
   * Uses another key and certificate for the connections to come.
   *
   * @throws TypeError when the port speaks in plain text; what node:tls throws for a key that is none
   */
  setSecureContext(tls: SecureContextOptions): void
  /** How many connections there are. */
  readonly connections: number
  /** Takes no further connection; those that there are live on until `close`, of HTTP/2 until their streams have ended. */
  stopListening(): void
  /** Takes no further connection, lets requests under way end, and ends every connection after a while. */
  close(graceMs?: number): Promise<void>
}

// Where more connect at once than may wait, those beyond believe that they are connected, and nobody ever answers them.
// The operating system lowers it to what it allows.
const backlog = 4_096

/**
 * Makes a server that hands each of its connections to node:http or node:http2: by ALPN with TLS, where HTTP/1.1 is
 * what a client speaks that says nothing, and by the first bytes without TLS.
 *
 * @param options - the two servers, and key and certificate
 * @returns the server; it listens once told to
 * @example
 * ```ts
 * const port = createPortServer({ http1: createServer(page), http2: grpc.http2 })
 * await port.listen({ port: 8_080 })
 * ```
 * @see RFC 9113, section 3 (starting HTTP/2); RFC 7301 (ALPN)
 */
export function createPortServer(options: PortServerOptions): PortServer {
  const { http1, http2, tls, handshakeTimeoutMs = 10_000 } = options
  const sockets = new Set<Socket>()
  // Of those, the ones that have not shown what they speak.
  const undecided = new Set<Socket>()
  const sessions = new Set<ServerHttp2Session>()
  const server = tls === undefined ? plainServer() : secureServer(tls)
  // A connection that could not be accepted, as for want of file handles, concerns nobody else.
  server.on('error', () => undefined)
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections
  let deadline = Number.POSITIVE_INFINITY
  let closing: Promise<void> | undefined
  http2.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })

  function plainServer(): Server {
    return createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
      keep(socket)
      undecided.add(socket)
      socket.once('close', () => undecided.delete(socket))
      readPreface(socket, handshakeTimeoutMs, (isHttp2) => {
        undecided.delete(socket)
        hand(socket, isHttp2)
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
    // Sockets are kept from the start: a client may stay in the handshake when the port is closed.
    secure.on('connection', keep)
    secure.on('tlsClientError', (_, socket) => socket.destroy())
    secure.on('secureConnection', (socket) => {
      keep(socket)
      hand(socket, socket.alpnProtocol === 'h2')
    })
    return secure
  }

  function keep(socket: Socket): void {
    sockets.add(socket)
    // What fails concerns this connection only, and the server it is handed to hears of it as well.
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  }

  function hand(socket: Socket, isHttp2: boolean): void {
    if (socket.destroyed) return
    if (closing !== undefined) {
      socket.destroy()
      return
    }
    // Half a connection is of use to HTTP/1.1 only, where a client may end its side after the request.
    if (isHttp2) socket.allowHalfOpen = false
    if (isHttp2) http2.emit('connection', socket)
    else http1.emit('connection', socket)
    if (!isHttp2) socket.resume()
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
    // Ends what it does on its own: looking for connections that are too slow.
    http1.close()
    await closed
  }

  function stopListening(): void {
    server.close()
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
      server.listen({ port, host, backlog })
      await once(server, 'listening')
      // node:http watches over slow headers and idle connections from this event on.
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
