import { once } from 'node:events'
import {
  createSecureServer,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type Settings,
} from 'node:http2'
import { connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { callUnary, type Call, type CallStart, GrpcError, type Transport } from '../../wire/index.ts'
import { createHttp2Transport } from '../http2-transport.ts'
import type { Http2TransportOptions } from '../options.ts'

const open: (() => Promise<unknown> | void)[] = []

/** Closes everything that the test opened, in reverse order. */
export async function closeAll(): Promise<void> {
  for (const close of open.splice(0).toReversed()) await close()
}

export function closeLater(close: () => Promise<unknown> | void): void {
  open.push(close)
}

/** Listens on a free port. */
export async function listen(server: Server | Http2Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

export interface RawServer {
  readonly url: string
  readonly port: number
  readonly sessions: readonly ServerHttp2Session[]
}

/** Serves HTTP/2 streams without gRPC: the test controls every byte. */
export async function serveStreams(
  onStream: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => unknown,
  settings: Settings = {},
  certificate?: { readonly key: string; readonly cert: string },
): Promise<RawServer> {
  const server = certificate ? createSecureServer({ ...certificate, settings }) : createServer({ settings })
  const sessions: ServerHttp2Session[] = []
  server.on('session', (session) => {
    sessions.push(session)
    session.on('error', () => undefined)
    session.once('close', () => sessions.splice(sessions.indexOf(session), 1))
  })
  server.on('sessionError', () => undefined)
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    onStream(stream, headers)
  })
  const port = await listen(server)
  closeLater(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  return { url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`, port, sessions }
}

/** Serves a custom protocol of the test over TCP. */
export async function serveSockets(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    closeLater(() => void socket.destroy())
    onSocket(socket)
  })
  const port = await listen(server)
  closeLater(() => void server.close())
  return port
}

/**
 * Relays bytes between a client and a server until `stall` is called: then sockets stay open, but no bytes are
 * relayed.
 */
export async function serveRelay(to: number): Promise<{ readonly url: string; stall(): void }> {
  const pairs: (readonly [Socket, Socket])[] = []
  const port = await serveSockets((socket) => {
    const behind = connect(to, '127.0.0.1')
    behind.on('error', () => undefined)
    closeLater(() => void behind.destroy())
    socket.pipe(behind).pipe(socket)
    pairs.push([socket, behind])
  })
  return {
    url: `http://127.0.0.1:${port}`,
    stall: () => {
      for (const [socket, behind] of pairs) {
        socket.unpipe(behind).resume()
        behind.unpipe(socket).resume()
      }
    },
  }
}

export function transportTo(url: string, options?: Http2TransportOptions): Transport {
  const transport = createHttp2Transport(url, options)
  closeLater(() => transport.close())
  return transport
}

/** The headers at the start of a response. */
export const responseHeaders = { ':status': 200, 'content-type': 'application/grpc' } as const

/** Responds with the given bytes and trailers. */
export function respond(
  stream: ServerHttp2Stream,
  bytes: Uint8Array,
  trailers: object = { 'grpc-status': '0' },
): void {
  stream.respond(responseHeaders, { waitForTrailers: true })
  stream.once('wantTrailers', () => stream.sendTrailers({ ...trailers }))
  stream.end(bytes)
}

/** Reads a call to its end. */
export async function readAll(call: Call): Promise<Uint8Array[]> {
  const messages: Uint8Array[] = []
  while (await call.readable()) {
    for (let message = call.read(); message !== undefined; message = call.read()) messages.push(message)
  }
  return messages
}

/** The GrpcError with which a promise rejects. */
export async function failureOf(promise: Promise<unknown>): Promise<GrpcError> {
  try {
    await promise
  } catch (error) {
    if (GrpcError.is(error)) return error
    throw error
  }
  throw new Error('the call did not fail')
}

export const path = '/test.Test/Method'

/** A unary call with an empty message. */
export function startCall(transport: Transport, start: Partial<CallStart> = {}) {
  return callUnary(transport, { path, ...start }, new Uint8Array())
}
