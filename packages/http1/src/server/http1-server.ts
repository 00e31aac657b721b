import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { PassingMap } from '../rehashing-map.ts'
import { type ConnectionOwner, FrontConnection, type Patience } from './server-connection.ts'
import type { FrontRequest } from './request.ts'
import type { FrontResponse } from './response.ts'
import { type HeadRules, longestBody } from './request-head.ts'
import { guardedImmediate, guardedInterval } from '../unexpected-errors.ts'

/** Takes the connections of HTTP/1.1, as a port hands them out. */
export interface HttpFront {
  emit(event: 'connection', socket: Socket): boolean
  emit(event: 'listening'): boolean
  /** Ends each connection behind its next answer, from now on. */
  drain(): void
  /** Ends connections that nobody uses, and from now on each of the others behind its answer. */
  closeIdleConnections(): void
  states(): FrontStates
  close(): void
}

/** What the front has at the moment, and counted since the start. */
export interface FrontStates {
  readonly connections: number
  /** Connections that went to node:http. */
  readonly handedOver: number
}

type Mutable<value> = { -readonly [name in keyof value]: value[name] }

/** What a front may be told. */
export interface FrontOptions<path, memo> extends HeadRules<path, memo> {
  /** Longest body of a call; node:http refuses a longer one in its own way. */
  readonly maxBodyBytes: number
  readonly patience?: Partial<Patience>
  /** Most bytes of bodies that are not whole yet; node:http looks at the credential before it reads more of them. */
  readonly maxHeldBytes?: number
}

// A call has the time that its listener gives it.
const usualPatience = { idle: 60_000, head: 10_000, body: 30_000, call: Infinity, leaving: 60_000 }

const longestCheckMs = 1_000

const defaultMaxHeldBytes = 33_554_432

/**
 * Makes a front before a server of node:http. It serves ordinary JSON-RPC calls itself, which takes a fraction of the
 * time. A connection with any other request goes to node:http for good, that request included.
 *
 * @param server - takes what is not ordinary
 * @param serve - answers a call; it never throws
 * @see RFC 9112
 */
export function createHttpFront<path, memo>(
  server: Server,
  rules: FrontOptions<path, memo>,
  serve: (request: FrontRequest<path, memo>, response: FrontResponse) => void,
): HttpFront {
  const { maxBodyBytes, patience: given, maxHeldBytes = defaultMaxHeldBytes } = rules
  const connections = new PassingMap<FrontConnection<path, memo>, true>()
  const patience = { ...usualPatience, ...given }
  let unwritten: FrontConnection<path, memo>[] = []
  // An answer wakes the client that waits for it, which costs the operating system much: clients that are answered in one
  // go are mostly awake by the first answer.
  const writeAll = () => {
    const answered = unwritten
    unwritten = []
    for (const connection of answered) connection.writeNow()
  }
  let handedOver = 0
  let heldBytes = 0
  // Read with every answer: what is no getter is found at once.
  const owner: Mutable<ConnectionOwner<path, memo>> = {
    fields: dateField(),
    isDraining: false,
    maxBodyBytes: Math.min(maxBodyBytes, longestBody),
    patience,
    rules,
    serve,
    hold: (bytes: number) => {
      heldBytes += bytes
      return heldBytes <= maxHeldBytes
    },
    writeLater: (connection: FrontConnection<path, memo>) => {
      if (unwritten.length === 0) guardedImmediate(writeAll)
      unwritten.push(connection)
    },
    forget: (connection: FrontConnection<path, memo>) => connections.delete(connection),
    handOver: (socket: Socket, unread: Buffer) => {
      handedOver += 1
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
    Math.min(longestCheckMs, ...Object.values(patience)),
  ).unref()
  return {
    emit: (event: 'connection' | 'listening', socket?: Socket) => {
      if (event === 'listening') return server.emit('listening')
      if (socket) connections.set(new FrontConnection(owner, socket), true)
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
    states: () => ({ connections: connections.size, handedOver }),
    close: () => {
      clearInterval(watch)
      server.close()
    },
  }
}

function dateField(): string {
  return `date: ${new Date().toUTCString()}\r\n`
}
