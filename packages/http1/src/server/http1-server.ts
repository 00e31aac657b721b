import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { RehashingMap } from '../rehashing-map.ts'
import { type ConnectionOwner, ServerConnection, type ServerTimeouts } from './server-connection.ts'
import type { Http1ServerRequest } from './request.ts'
import type { Http1ServerResponse } from './response.ts'
import { type HeadRules, longestBody } from './request-head.ts'
import { guardedImmediate, guardedInterval } from '../unexpected-errors.ts'

/** Takes the connections of HTTP/1.1, as a port hands them out. */
export interface Http1Server {
  emit(event: 'connection', socket: Socket): boolean
  emit(event: 'listening'): boolean
  /** Ends each connection behind its next answer, from now on. */
  drain(): void
  /** Ends connections that nobody uses, and from now on each of the others behind its answer. */
  closeIdleConnections(): void
  states(): Http1ServerState
  close(): void
}

/** Connections that the server has now, and what it has counted since the start. */
export interface Http1ServerState {
  readonly connections: number
  /** Connections that went to node:http. */
  readonly fallbacks: number
}

type Mutable<value> = { -readonly [name in keyof value]: value[name] }

/** Options of {@link createHttp1Server}. */
export interface Http1ServerOptions<match, headState> extends HeadRules<match, headState> {
  /** Longest body of a call; node:http refuses a longer one in its own way. */
  readonly maxBodyBytes: number
  readonly timeouts?: Partial<ServerTimeouts>
  /** Most bytes of bodies that are not whole yet; node:http looks at the credential before it reads more of them. */
  readonly maxHeldBytes?: number
}

// A call has the time that its listener gives it.
const defaultTimeouts = { idle: 60_000, head: 10_000, body: 30_000, call: Infinity, leaving: 60_000 }

const longestCheckMs = 1_000

const defaultMaxHeldBytes = 33_554_432

/**
 * Makes a server in front of one of node:http. It serves ordinary JSON-RPC calls itself, which takes a fraction of the
 * time. A connection with any other request goes to node:http for good, that request included.
 *
 * @param server - takes what is not ordinary
 * @param serve - answers a call; it never throws
 * @see RFC 9112
 */
export function createHttp1Server<match, headState>(
  server: Server,
  rules: Http1ServerOptions<match, headState>,
  serve: (request: Http1ServerRequest<match, headState>, response: Http1ServerResponse) => void,
): Http1Server {
  const { maxBodyBytes, timeouts: given, maxHeldBytes = defaultMaxHeldBytes } = rules
  const connections = new RehashingMap<ServerConnection<match, headState>, true>()
  const timeouts = { ...defaultTimeouts, ...given }
  let unwritten: ServerConnection<match, headState>[] = []
  // An answer wakes the client that waits for it, which costs the operating system much: clients that are answered in one
  // go are mostly awake by the first answer.
  const writeAll = () => {
    const answered = unwritten
    unwritten = []
    for (const connection of answered) connection.writeNow()
  }
  let fallbacks = 0
  let heldBytes = 0
  // Read with every answer: what is no getter is found at once.
  const owner: Mutable<ConnectionOwner<match, headState>> = {
    fields: dateField(),
    isDraining: false,
    maxBodyBytes: Math.min(maxBodyBytes, longestBody),
    timeouts,
    rules,
    serve,
    hold: (bytes: number) => {
      heldBytes += bytes
      return heldBytes <= maxHeldBytes
    },
    writeLater: (connection: ServerConnection<match, headState>) => {
      if (unwritten.length === 0) guardedImmediate(writeAll)
      unwritten.push(connection)
    },
    forget: (connection: ServerConnection<match, headState>) => connections.delete(connection),
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
    Math.min(longestCheckMs, ...Object.values(timeouts)),
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

function dateField(): string {
  return `date: ${new Date().toUTCString()}\r\n`
}
