import { constants, type Http2Session, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { guarded, guardedImmediate, networkOf, tenantOfAddress } from '@fairlead/runtime'
import type { TickBudget } from '../admission/tick-budget.ts'
import { plainAddress } from '../admission/access-rules.ts'
import type { RequestSource } from '../http/client-address.ts'
import { type Deadline, Deadlines } from '../http/deadlines.ts'
import type { StreamListener } from '../http/http2-listener.ts'
import { unauthenticatedMs } from '../http/progress-deadlines.ts'
import type { HttpRequest } from '../http/types.ts'
import { attachMemory, ClientMemory, memoryOf, type MemorySource } from './client-memory.ts'
import { AddressRates } from './address-rates.ts'
import { addressLimits, clientCosts, http2Limits, streamsOfConnection } from './client-costs.ts'

/** An event of an HTTP/2 connection that its server counts. */
export type PeerEvent = 'reset' | 'control' | 'violation'

// So many connections of an address, and one stream on each, are accepted whatever other addresses use.
const minConnections = 4

// In calls, as the tick budget counts.
const unitsOfConnection = 100
const unitsOfStream = 4

// A connection that violates the protocol costs its setup, and up to as many streams.
const resetsPerViolation = 50

/** Dependencies of {@link Clients}. */
export interface ClientsDependencies {
  readonly memory: MemorySource
  /** Spreads connections and streams over event-loop ticks. */
  readonly budget: TickBudget
  /** Whether an IP address is that of a trusted proxy. */
  readonly isProxy: (address: string) => boolean
  /** IP address of the client of a request. */
  readonly addressOf: (request: RequestSource) => string
}

/** Counts the memory of connections and HTTP/2 streams, and ends requests that their clients leave unfinished. */
export class Clients {
  readonly #dependencies: ClientsDependencies
  readonly #unfinished = new Deadlines(unauthenticatedMs)
  /** The addresses of HTTP/2 connections, except those of proxies: a closed connection has none. */
  readonly #addresses = new WeakMap<ServerHttp2Session, string>()
  /** Number of open connections by IP address. */
  readonly #connections = new Map<string, number>()
  /** The open streams of connections on which no request was authenticated. */
  readonly #unauthenticated = new WeakMap<ClientMemory, Set<ServerHttp2Stream>>()
  readonly #faults = new AddressRates(addressLimits.resetsPerSecond, addressLimits.resetBurst)
  readonly #unauthenticatedStreams = new AddressRates(
    addressLimits.streamsPerSecond,
    addressLimits.streamBurst,
  )
  readonly #controlFrames = new AddressRates(
    addressLimits.controlFramesPerSecond,
    addressLimits.controlFramesPerSecond,
  )

  constructor(dependencies: ClientsDependencies) {
    this.#dependencies = dependencies
  }

  /**
   * Reserves the memory of a new connection.
   *
   * @returns false when its client may not hold so much, or has exceeded a rate limit with other connections
   */
  open(socket: Socket, isTls: boolean): boolean {
    this.#dependencies.budget.onConnection()
    const address = plainAddress(socket.remoteAddress ?? '')
    const { memory: source, isProxy } = this.#dependencies
    const owner = isProxy(address) ? undefined : { address }
    if (owner && !(this.#faults.isWithin(address) && this.#controlFrames.isWithin(address))) return false
    const network = networkOf(address)
    const ofNetwork = this.#connections.get(network) ?? 0
    const memory = new ClientMemory(source, owner, ofNetwork < minConnections)
    if (!memory.take(clientCosts.http1 + (isTls ? clientCosts.tls : 0))) return false
    attachMemory(socket, memory)
    this.#connections.set(network, ofNetwork + 1)
    socket.once('close', () => {
      memory.release()
      const remaining = (this.#connections.get(network) ?? 1) - 1
      if (remaining > 0) this.#connections.set(network, remaining)
      else this.#connections.delete(network)
    })
    return true
  }

  /**
   * Serves an HTTP/2 connection in its turn: Node.js processes all that its first data contains at once, up to a hundred
   * streams.
   */
  readonly admitHttp2 = (socket: Socket, serve: () => void): void => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const isProxy = this.#dependencies.isProxy(address)
    if (!isProxy && !this.#unauthenticatedStreams.isWithin(address)) {
      socket.destroy()
      return
    }
    const turn = guarded('http2', serve, () => socket.destroy())
    this.#dependencies.budget.run(tenantOfAddress(address), unitsOfConnection, turn)
  }

  /** Counts an event of an HTTP/2 connection for its address; false when the address exceeds a limit. */
  readonly onPeerEvent = (event: PeerEvent, session: ServerHttp2Session): boolean => {
    const address = this.#addresses.get(session)
    if (address === undefined) return true
    if (event === 'control') return this.#controlFrames.count(address)
    return this.#faults.count(address, event === 'violation' ? resetsPerViolation : 1)
  }

  /** Reserves the additional memory of an HTTP/2 connection, and raises its limits once a request is authenticated. */
  readonly onSession = (session: ServerHttp2Session): void => {
    const { socket } = session
    const memory = memoryOf({ socket })
    if (!memory) return
    const address = plainAddress(socket.remoteAddress ?? '')
    const isProxy = this.#dependencies.isProxy(address)
    if (!isProxy) this.#addresses.set(session, address)
    const network = networkOf(address)
    const streams = (most: number) =>
      isProxy ? most : streamsOfConnection(most, this.#connections.get(network) ?? 1)
    if (!memory.take(clientCosts.http2)) {
      // In the next tick, Node.js passes the first bytes to the session.
      guardedImmediate(() => session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM))
      return
    }
    const { initial, authenticated } = http2Limits
    const initialStreams = streams(initial.maxConcurrentStreams)
    if (initialStreams < initial.maxConcurrentStreams)
      session.settings({ maxConcurrentStreams: initialStreams })
    const unauthenticated = new Set<ServerHttp2Stream>()
    this.#unauthenticated.set(memory, unauthenticated)
    memory.onAuthenticated = () => {
      this.#unauthenticated.delete(memory)
      if (session.destroyed || session.closed) return
      raiseLimits(session, streams(authenticated.maxConcurrentStreams), unauthenticated)
    }
  }

  /**
   * Wraps a listener for HTTP/2 streams: refuses streams whose client may not hold more memory, and serves the others in
   * their turn.
   */
  admitStreams(listener: StreamListener): StreamListener {
    const { addressOf, budget } = this.#dependencies
    const serve = guarded('http2', listener, (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
    const admit: StreamListener = (stream, headers, flags, raw) => {
      stream.on('error', () => undefined)
      const { session } = stream
      // The client may have closed the connection by now.
      if (!session || session.destroyed) return
      const address = addressOf({ headers, socket: session.socket })
      if (!this.#openStream(stream, session, address, raw)) {
        stream.close(constants.NGHTTP2_REFUSED_STREAM)
        return
      }
      budget.run(tenantOfAddress(address), unitsOfStream, () => serve(stream, headers, flags, raw))
    }
    return guarded('http2', admit, (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR))
  }

  /** Ends a request over HTTP/1.1 that is not authenticated, unless its body is complete in time. */
  watchRequest(request: HttpRequest & { once(event: 'close', listener: () => void): unknown }): void {
    const memory = memoryOf(request)
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (!memory || (encoding === undefined && Number(length) === 0)) return
    const end = () => {
      if (!memory.isAuthenticated() && !request.complete) request.bodyStream().destroy()
    }
    const deadline = this.#unfinished.begin({ end }, performance.now())
    request.once('close', () => {
      deadline.done()
      memory.holdUnread(0)
    })
    if (!memory.isAuthenticated() && !memory.holdUnread(clientCosts.unreadHttp1))
      request.bodyStream().destroy()
  }

  /** @param address - that a trusted proxy reports, or that of the connection */
  #openStream(
    stream: ServerHttp2Stream,
    session: Http2Session,
    address: string,
    raw: readonly string[],
  ): boolean {
    const connection = memoryOf({ socket: session.socket })
    if (!connection) return true
    const owner = this.#dependencies.isProxy(address) ? undefined : { address }
    if (!connection.isAuthenticated() && owner && !this.#unauthenticatedStreams.count(owner.address)) {
      guardedImmediate(() => session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM))
      return false
    }
    const unauthenticated = this.#unauthenticated.get(connection)
    const isOnly = unauthenticated?.size === 0
    const memory = new ClientMemory(this.#dependencies.memory, owner, isOnly, connection)
    const limits = connection.isAuthenticated() ? http2Limits.authenticated : http2Limits.initial
    const unreadBytes = stream.endAfterHeaders ? 0 : limits.streamWindowBytes
    if (!memory.take(clientCosts.stream + headerCost(raw)) || !memory.holdUnread(unreadBytes)) {
      memory.release()
      return false
    }
    attachMemory(stream, memory)
    unauthenticated?.add(stream)
    const deadline = stream.endAfterHeaders ? undefined : this.#watchStream(stream, memory)
    stream.once('close', () => {
      deadline?.done()
      memory.release()
      unauthenticated?.delete(stream)
    })
    return true
  }

  #watchStream(stream: ServerHttp2Stream, memory: ClientMemory): Deadline {
    const end = () => {
      if (!memory.isAuthenticated() && !stream.readableEnded)
        stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    }
    return this.#unfinished.begin({ end }, performance.now())
  }
}

/** Raises the limits of a connection after its first authenticated request. */
function raiseLimits(
  session: ServerHttp2Session,
  maxConcurrentStreams: number,
  open: ReadonlySet<ServerHttp2Stream>,
): void {
  const { streamWindowBytes, connectionWindowBytes } = http2Limits.authenticated
  session.settings({ maxConcurrentStreams, initialWindowSize: streamWindowBytes })
  session.setLocalWindowSize(connectionWindowBytes)
  // The window of open streams grows as well.
  for (const stream of open) {
    const memory = memoryOf({ socket: stream, stream })
    if (!memory || memory.isAuthenticated() || stream.endAfterHeaders) continue
    if (memory.holdUnread(streamWindowBytes)) continue
    stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }
}

/** Bytes of the names and values of header fields, with an object each. */
function headerCost(raw: readonly string[]): number {
  let bytes = 0
  for (const text of raw) bytes += text.length + clientCosts.headerText
  return bytes
}
