import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { createHttp1Server } from '../server/http1-server.ts'

/** A request that was read to its end. */
export interface ReadMessage {
  readonly method: string | undefined
  readonly target: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What was made of one connection. */
export interface ReadStream {
  readonly messages: ReadMessage[]
  /** How many of the messages the HTTP/1.1 server has served. */
  served: number
  /** Whether node:http has got the connection. */
  isFallback: boolean
  /** Whether something was refused as no HTTP. */
  isRefused: boolean
  /** What was taken for another protocol, from its first byte on. */
  upgraded: string | undefined
}

/** The client's end of a connection without a network, so that thousands fit into a second. */
class Line extends Duplex {
  timeout = 0
  readonly remoteAddress = '127.0.0.1'
  readonly readStream: ReadStream = {
    messages: [],
    served: 0,
    isFallback: false,
    isRefused: false,
    upgraded: undefined,
  }

  override _read(): void {}

  override _write(_: unknown, __: unknown, done: () => void): void {
    done()
  }

  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }
}

/** Reads streams as a server does. */
export interface Reader {
  /** Begins to read; what becomes of it is known once {@link settle} is over. */
  begin(pieces: readonly Buffer[]): ReadStream
  /** As {@link begin} for pieces that come one after the other, at most {@link mostPaced} of them. */
  beginPaced(pieces: readonly Buffer[]): ReadStream
  /** Lets go of what was begun so far. */
  forget(): void
  close(): void
}

/** Reads by node:http alone. */
export function nodeReader(): Reader {
  const server = recordingServer()
  return readerOf(
    (line) => server.emit('connection', line),
    () => server.close(),
  )
}

/** Reads by the HTTP/1.1 server, with the same node:http behind it. */
export function http1Reader(): Reader {
  const server = recordingServer()
  const rules = { maxBodyBytes: 65_536, match: (target: string) => target, newHeadState: () => ({}) }
  const http1 = createHttp1Server(server, rules, (request, response) => {
    const { readStream } = request.socket as unknown as Line
    const { method, url: target, headers, bufferedBody: body } = request
    readStream.messages.push({ method, target, headers: { ...headers }, body })
    readStream.served += 1
    response.end('')
  })
  return readerOf(
    (line) => http1.emit('connection', line as unknown as Socket),
    () => http1.close(),
  )
}

/** How many pieces may be waited for. */
export const mostPaced = 12

// What comes of a piece is there some turns later.
const turnsForPiece = 3

// Of the requests on a connection each takes a turn.
const mostTurns = 24 + mostPaced * turnsForPiece

/** Waits until everything that was begun has been read. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < mostTurns; turns++) await new Promise((resolve) => setImmediate(resolve))
}

function readerOf(connect: (line: Line) => void, close: () => void): Reader {
  const lines: Line[] = []
  const open = () => {
    const line = new Line()
    lines.push(line)
    line.on('error', () => undefined)
    connect(line)
    return line
  }
  return {
    close,
    forget: () => {
      for (const line of lines.splice(0)) line.destroy()
    },
    begin: (pieces) => {
      const line = open()
      for (const piece of pieces) line.push(piece)
      return line.readStream
    },
    beginPaced: (pieces) => {
      const line = open()
      void pushPaced(line, pieces)
      return line.readStream
    },
  }
}

async function pushPaced(line: Line, pieces: readonly Buffer[]): Promise<void> {
  for (const piece of pieces) {
    if (line.destroyed) return
    line.push(piece)
    for (let turns = 0; turns < turnsForPiece; turns++) await new Promise((resolve) => setImmediate(resolve))
  }
}

function recordingServer(): Server {
  const server = createServer((request, response) => {
    const { readStream } = request.socket as unknown as Line
    const { method, url: target, headers } = request
    const parts: Buffer[] = []
    const push = request.push.bind(request)
    // What the parser says, and when: later events are lost where the connection ends first.
    request.push = (bytes: Buffer | null) => {
      if (bytes) parts.push(Buffer.from(bytes))
      else {
        const body = Buffer.concat(parts).toString('latin1')
        readStream.messages.push({ method, target, headers: { ...headers }, body })
      }
      return push(bytes)
    }
    request.on('error', () => undefined)
    request.resume().on('end', () => response.end(''))
  })
  server.prependListener('connection', (line: unknown) => ((line as Line).readStream.isFallback = true))
  server.on('clientError', (_, socket) => {
    // It lives on: what came before the refusal is still to be told.
    ;(socket as unknown as Line).readStream.isRefused = true
  })
  for (const event of ['upgrade', 'connect'] as const) {
    server.on(event, (_request: unknown, socket: Duplex, head: Buffer) => {
      const { readStream } = socket as Line
      readStream.upgraded = head.toString('latin1')
      // How much of it has come by then says nothing about where it begins.
      socket.on('data', (bytes: Buffer) => (readStream.upgraded += bytes.toString('latin1')))
    })
  }
  return server
}
