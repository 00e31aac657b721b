import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { createHttp1Server } from '../server/http1-server.ts'

/** A request that was read completely. */
export interface ReadMessage {
  readonly method: string | undefined
  readonly target: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The result of parsing one connection. */
export interface ReadStream {
  readonly messages: ReadMessage[]
  /** Number of messages that the HTTP/1.1 server has served. */
  served: number
  /** Whether the connection was handed over to node:http. */
  isFallback: boolean
  /** Whether some input was rejected as invalid HTTP. */
  isRejected: boolean
  /** The bytes that were treated as another protocol, from the first byte on. */
  upgraded: string | undefined
}

/** The client side of a connection without a network, so that thousands can be tested in a second. */
class Line extends Duplex {
  timeout = 0
  readonly remoteAddress = '127.0.0.1'
  readonly readStream: ReadStream = {
    messages: [],
    served: 0,
    isFallback: false,
    isRejected: false,
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

/** Parses streams as a server does. */
export interface Reader {
  /** Begins to parse; the result is complete after {@link settle}. */
  begin(pieces: readonly Buffer[]): ReadStream
  /** Same as {@link begin}, for pieces that arrive one after the other, at most {@link maxPaced} of them. */
  beginPaced(pieces: readonly Buffer[]): ReadStream
  /** Destroys all connections that were begun so far. */
  remove(): void
  close(): void
}

/** Creates a reader that uses node:http only. */
export function nodeReader(): Reader {
  const server = recordingServer()
  return readerOf(
    (line) => server.emit('connection', line),
    () => server.close(),
  )
}

/** Creates a reader that uses the HTTP/1.1 server with node:http behind it. */
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

/** Maximum number of paced pieces. */
export const maxPaced = 12

// The result of a piece is available some event-loop ticks later.
const ticksPerPiece = 3

// Each request on a connection takes one event-loop tick.
const maxTicks = 24 + maxPaced * ticksPerPiece

/** Waits until all begun streams have been read. */
export async function settle(): Promise<void> {
  for (let tick = 0; tick < maxTicks; tick++) await new Promise((resolve) => setImmediate(resolve))
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
    remove: () => {
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
    for (let tick = 0; tick < ticksPerPiece; tick++) await new Promise((resolve) => setImmediate(resolve))
  }
}

function recordingServer(): Server {
  const server = createServer((request, response) => {
    const { readStream } = request.socket as unknown as Line
    const { method, url: target, headers } = request
    const parts: Buffer[] = []
    const push = request.push.bind(request)
    // Records at the parser, because later events are lost when the connection ends first.
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
    // The socket stays open: messages before the rejection still have to be reported.
    ;(socket as unknown as Line).readStream.isRejected = true
  })
  for (const event of ['upgrade', 'connect'] as const) {
    server.on(event, (_request: unknown, socket: Duplex, head: Buffer) => {
      const { readStream } = socket as Line
      readStream.upgraded = head.toString('latin1')
      // How many bytes have arrived at this point does not depend on where the other protocol begins.
      socket.on('data', (bytes: Buffer) => (readStream.upgraded += bytes.toString('latin1')))
    })
  }
  return server
}
