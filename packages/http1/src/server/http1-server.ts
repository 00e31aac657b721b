import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { guardedImmediate, guardedInterval, RehashingMap } from '@fairlead/runtime'
import {
  type ConnectionMemory,
  type ConnectionOwner,
  ServerConnection,
  type ServerTimeouts,
} from './server-connection.ts'
import type { Http1ServerRequest } from './request.ts'
import type { Http1ServerResponse } from './response.ts'
import { type HeadRules, maxBodyLength } from './request-head.ts'

/** Accepts HTTP/1.1 connections from a listening port. */
export interface Http1Server {
  emit(event: 'connection', socket: Socket): boolean
  emit(event: 'listening'): boolean
  /** From now on, closes each connection after its next response. */
  drain(): void
  /** Closes idle connections. From now on, closes each other connection after its response. */
  closeIdleConnections(): void
  states(): Http1ServerState
  close(): void
}

/** Current connections, and counters since the start. */
export interface Http1ServerState {
  readonly connections: number
  /** Connections that were handed over to node:http. */
  readonly fallbacks: number
}

type Mutable<value> = { -readonly [name in keyof value]: value[name] }

/** Options of {@link createHttp1Server}. */
export interface Http1ServerOptions<match, headState> extends HeadRules<match, headState> {
  /** Maximum length of a request body in bytes; node:http rejects a longer one in its own way. */
  readonly maxBodyBytes: number
  /** After the timeout of a body, node:http serves the request. */
  readonly timeouts?: Partial<ServerTimeouts>
  /**
   * Creates the complete response to a request whose headers do not arrive in time; a 408 response without a body when
   * omitted. The connection closes after it.
   */
  readonly timeoutResponse?: () => string
  /**
   * Creates the memory reservation of a connection for incomplete requests; unlimited when omitted. When it is refused,
   * node:http serves the request, and the credential is checked before the body is read.
   */
  readonly reserve?: (socket: Socket) => ConnectionMemory
}

// The request listener limits the duration of a call.
const defaultTimeouts = { idle: 60_000, head: 10_000, body: 5_000, call: Infinity, response: 60_000 }

const maxCheckMs = 1_000

const unlimited: ConnectionMemory = { resize: () => true, release: () => undefined }

/**
 * Creates an HTTP/1.1 server in front of a node:http server. It serves ordinary JSON-RPC calls itself, in a fraction of
 * the time. A connection with any other request permanently moves to node:http, including that request.
 *
 * @param server - receives the connections that fall back to node:http
 * @param serve - handles a request; must not throw
 * @see RFC 9112
 */
export function createHttp1Server<match, headState>(
  server: Server,
  rules: Http1ServerOptions<match, headState>,
  serve: (request: Http1ServerRequest<match, headState>, response: Http1ServerResponse) => void,
): Http1Server {
  const { maxBodyBytes, timeouts: timeoutOptions, reserve = () => unlimited } = rules
  const connections = new RehashingMap<ServerConnection<match, headState>, true>()
  const timeouts = { ...defaultTimeouts, ...timeoutOptions }
  let unwritten: ServerConnection<match, headState>[] = []
  // A response wakes the client that waits for it, which costs the operating system much time. When responses are
  // written together, most clients are already awake after the first one.
  const writeAll = () => {
    const connectionsToWrite = unwritten
    unwritten = []
    for (const connection of connectionsToWrite) connection.writeNow()
  }
  let fallbacks = 0
  // Read with every response: a data property is faster than a getter.
  const owner: Mutable<ConnectionOwner<match, headState>> = {
    fields: dateField(),
    keepAliveFields: keepAliveFields(timeouts.idle),
    isDraining: false,
    maxBodyBytes: Math.min(maxBodyBytes, maxBodyLength),
    timeouts,
    timeoutResponse: rules.timeoutResponse ?? defaultTimeoutResponse,
    rules,
    serve,
    reserve,
    writeLater: (connection: ServerConnection<match, headState>) => {
      if (unwritten.length === 0) guardedImmediate(writeAll)
      unwritten.push(connection)
    },
    remove: (connection: ServerConnection<match, headState>) => connections.delete(connection),
    fallBack: (socket: Socket, unread: Buffer) => {
      fallbacks += 1
      socket.pause()
      if (unread.length > 0) socket.unshift(unread)
      server.emit('connection', socket)
      socket.resume()
    },
  }
  const watch = guardedInterval(
    () => {
      owner.fields = dateField()
      const now = performance.now()
      for (const connection of connections.keys()) connection.check(now)
    },
    Math.min(maxCheckMs, ...Object.values(timeouts)),
  ).unref()
  return {
    emit: (event: 'connection' | 'listening', socket?: Socket) => {
      if (event === 'listening') return server.emit('listening')
      if (socket) connections.set(new ServerConnection(owner, socket), true)
      return true
    },
    drain: () => {
      owner.isDraining = true
    },
    closeIdleConnections: () => {
      owner.isDraining = true
      for (const connection of connections.keys()) if (connection.isIdle) connection.destroy()
      server.closeIdleConnections()
    },
    states: () => ({ connections: connections.size, fallbacks }),
    close: () => {
      clearInterval(watch)
      server.close()
    },
  }
}

function defaultTimeoutResponse(): string {
  return 'HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n'
}

function keepAliveFields(idleMs: number): string {
  return `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(idleMs / 1_000)}\r\n`
}

function dateField(): string {
  return `date: ${new Date().toUTCString()}\r\n`
}
