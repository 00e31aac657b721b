import { guardedInterval, waitUntil } from '@fairlead/runtime'
import { FairleadError } from '@fairlead/core'
import { createPortServer, type PortServer } from '@fairlead/grpc-transport'
import cluster from 'node:cluster'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2Server } from 'node:http2'
import type { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { Http1Server } from '@fairlead/http1'
import { memoryOf } from '@fairlead/gateway-core/clients/client-memory'
import type { Clients } from '@fairlead/gateway-core/clients/clients'
import type { ProgressDeadlines } from '@fairlead/gateway-core/http/progress-deadlines'
import type { Configuration } from '../configuration/options.ts'
import { type ConnectionLimits, limitConnections } from './limit-connections.ts'
import { followCertificate, readCertificate } from './tls-certificate.ts'

/** The ports of a gateway. */
export interface Ports {
  /** URL of the plain port, for example `http://127.0.0.1:8645`. */
  readonly url: string
  /** URL of the TLS port, when there is one. */
  readonly tlsUrl: string | undefined
  /** Current number of client connections. */
  connections(): { readonly plain: number; readonly tls: number }
  /** Applies new limits to new connections. */
  change(limits: ConnectionLimits): void
  /** Closes each HTTP/1.1 connection after its next response, from now on. */
  drain(): void
  /**
   * Accepts no further connections and closes existing ones after their next responses. Resolves when all are closed,
   * or after the given time.
   */
  stopListening(graceMs: number): Promise<void>
  /** Accepts no further connections and waits for the requests in flight. Ends them after the given time. */
  close(graceMs: number): Promise<void>
}

/** Servers that handle the connections; none of them listens itself. */
export interface PortServers {
  readonly http1: Server
  /** Handles the HTTP/1.1 connections in front of `http1`. */
  readonly builtin?: Http1Server | undefined
  readonly http2: Http2Server
  /** Closes connections whose clients do not read; none are closed when omitted. */
  readonly deadlines?: ProgressDeadlines | undefined
  /** Whether an IP address is that of a trusted proxy, to which no per-address limit applies. */
  readonly isProxy?: ((address: string) => boolean) | undefined
  /** Counts the memory of the connections; it is not counted when omitted. */
  readonly clients?: Clients | undefined
}

type PortOptions = Pick<Configuration, 'host' | 'port' | 'tlsPort' | 'tlsCertificateFile' | 'tlsKeyFile'> &
  Partial<ConnectionLimits>

const tidyMs = 50
// Number of connections that a tick accepts.
const acceptors = 16

/**
 * Opens the plain port and, when a certificate is configured, the TLS port. Both serve HTTP/1.1 and HTTP/2.
 *
 * @throws FairleadError `CONFIG_INVALID` when a port is taken, the gateway cannot listen on the address, or the
 * certificate cannot be used
 */
export async function openPorts(
  configuration: PortOptions,
  servers: PortServers,
  log: Logger,
): Promise<Ports> {
  const endUnused = endUnusedConnections(servers)
  const { http1, http2, builtin = http1, isProxy = () => false } = servers
  const admitHttp2 = servers.clients?.admitHttp2
  const handlers = {
    http1: withDeadlines(builtin, servers.deadlines),
    http2,
    admitHttp2,
    // The primary process accepts the connections of workers.
    acceptors: cluster.isWorker ? 1 : acceptors,
  }
  const { maxConnections = 0, maxConnectionsPerAddress = 0, maxConnectionRate = 0 } = configuration
  const limits = { maxConnections, maxConnectionsPerAddress, maxConnectionRate }
  const limiter = limitConnections(limits, isProxy, servers.clients)
  const plain = createPortServer(handlers)
  limiter.limit(plain.server)
  const opened: PortServer[] = []
  let stopFollowing = () => undefined as void
  const close = async (graceMs: number) => {
    stopFollowing()
    // The close would wait for a connection that was never used.
    const tidying = guardedInterval(endUnused, tidyMs)
    await Promise.all(opened.map((port) => port.close(graceMs)))
    clearInterval(tidying)
  }
  const drain = drainOf(servers)
  const stopListening = async (graceMs: number) => {
    drain()
    for (const port of opened) port.stopListening()
    await waitUntil(() => opened.every((port) => port.connections === 0), graceMs, tidyMs)
  }
  const connections = () => {
    const [ofPlain, ofTls] = opened.map((port) => port.connections)
    return { plain: ofPlain ?? 0, tls: ofTls ?? 0 }
  }
  const ports = { connections, change: limiter.change, drain, stopListening, close }
  try {
    opened.push(plain)
    await listen(plain, configuration, 'port')
    const { tlsPort, ...rest } = configuration
    if (tlsPort === undefined) return { url: urlOf('http', plain), tlsUrl: undefined, ...ports }
    const files = certificateFiles(rest)
    const certificate = await readCertificate(files)
    // Browsers offer both, and HTTP/1.1 serves everything except gRPC; gRPC clients offer HTTP/2 alone.
    const secure = createPortServer({ ...handlers, tls: certificate, prefer: 'http/1.1' })
    limiter.limit(secure.server)
    opened.push(secure)
    await listen(secure, { ...configuration, port: tlsPort }, 'tlsPort')
    stopFollowing = followCertificate(files, certificate, (next) => secure.setSecureContext(next), log)
    return { url: urlOf('http', plain), tlsUrl: urlOf('https', secure), ...ports }
  } catch (error) {
    await close(0)
    throw error
  }
}

// Browsers open connections in advance, and a server counts such a connection as busy until it is used.
function endUnusedConnections({ http1 }: PortServers): () => void {
  const unused = new Set<Socket>()
  http1.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  for (const event of ['request', 'upgrade']) {
    http1.prependListener(event, ({ socket }: { readonly socket: Socket }) => unused.delete(socket))
  }
  return () => {
    for (const socket of unused) socket.destroy()
  }
}

/** Returns the server with a deadline for each connection whose client does not read its buffered data. */
function withDeadlines(
  http1: Server | Http1Server,
  deadlines: ProgressDeadlines | undefined,
): Server | Pick<Http1Server, 'emit' | 'close' | 'closeIdleConnections'> {
  if (!deadlines) return http1
  return {
    emit: (event: 'connection' | 'listening', socket?: Socket) => {
      if (event === 'listening') return http1.emit('listening')
      if (!socket) return true
      const due = () => socket.writableLength
      const moved = () => socket.bytesWritten - socket.writableLength
      const client = memoryOf({ socket })
      socket.once(
        'close',
        deadlines.watch({ moved, due, client }, () => socket.destroy()),
      )
      return http1.emit('connection', socket)
    },
    close: () => void http1.close(),
    closeIdleConnections: () => http1.closeIdleConnections(),
  }
}

function drainOf({ http1, builtin }: PortServers): () => void {
  let isDraining = false
  http1.prependListener('request', (_: IncomingMessage, response: ServerResponse) => {
    if (isDraining) response.shouldKeepAlive = false
  })
  return () => {
    isDraining = true
    builtin?.drain()
  }
}

function certificateFiles({ tlsCertificateFile, tlsKeyFile }: Omit<PortOptions, 'tlsPort'>) {
  if (tlsCertificateFile !== undefined && tlsKeyFile !== undefined) {
    return { certificateFile: tlsCertificateFile, keyFile: tlsKeyFile }
  }
  throw new FairleadError('CONFIG_INVALID', {
    option: 'FAIRLEAD_TLS_PORT',
    rule: 'requires FAIRLEAD_TLS_CERTIFICATE_FILE and FAIRLEAD_TLS_KEY_FILE',
  })
}

async function listen(
  server: PortServer,
  { host, port }: Pick<PortOptions, 'host' | 'port'>,
  option: 'port' | 'tlsPort',
): Promise<void> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const isHost = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)
    const variable = option === 'port' ? 'FAIRLEAD_PORT' : 'FAIRLEAD_TLS_PORT'
    const rule =
      code === 'EADDRINUSE'
        ? `is in use: ${port}. Set ${variable} to another port, or to 0 for any free port`
        : `cannot be opened: ${code}`
    throw new FairleadError('CONFIG_INVALID', { option: isHost ? 'host' : option, rule })
  }
}

function urlOf(scheme: 'http' | 'https', { address: { address, family, port } }: PortServer): string {
  return `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
