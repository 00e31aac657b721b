import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { createGrpcServer, type GrpcServer } from '../../server/grpc-server.ts'
import { implement } from '../../server/implement.ts'
import { closeLater, TextDefinition, type TextHandlers } from '../../server/testing/text-service.ts'
import { createPortServer, type PortServer, type PortServerOptions } from '../port-server.ts'

/** A port in front of an HTTP/1.1 echo server and a gRPC server. */
export interface BothServers {
  readonly port: PortServer
  readonly http1: Server
  readonly grpc: GrpcServer
  /** `http://host:port` */
  readonly url: string
  /** Requests to `/slow` that wait for {@link finishSlow}. */
  slowRequests(): number
  finishSlow(): void
  /** Bytes received from a remote port; undefined when it has no connection. */
  bytesFrom(port: number | undefined): number | undefined
}

/** Listens. Over HTTP/1.1 the path `/slow` responds when a test releases it; every other path echoes the request. */
export async function listenToBoth(
  options: Omit<PortServerOptions, 'http1' | 'http2'> & { readonly http1?: Server } = {},
  handlers: TextHandlers = {},
): Promise<BothServers> {
  const http1 = options.http1 ?? createServer()
  const slow: ServerResponse[] = []
  const sockets = new Map<number | undefined, Socket>()
  http1.on('request', (request, response) => {
    if (request.url === '/slow') {
      slow.push(response)
      return
    }
    const { method, url, headers, socket } = request
    response.setHeader(
      'x-seen',
      JSON.stringify([method, url, headers['content-length'], socket.remoteAddress]),
    )
    request.pipe(response)
  })
  http1.on('upgrade', (_, socket, head) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n')
    socket.write(head)
    socket.pipe(socket)
  })
  const grpc = createGrpcServer({
    implementations: [
      implement(TextDefinition, {
        one: (request, call) => `${request} from ${call.remoteAddress}`,
        ...handlers,
      }),
    ],
  })
  const port = createPortServer({ ...options, http1, http2: grpc.http2 })
  await port.listen()
  closeLater(() => port.close())
  port.server.on('connection', (socket: Socket) => {
    const { remotePort } = socket
    sockets.set(remotePort, socket)
    socket.once('close', () => sockets.delete(remotePort))
  })
  return {
    port,
    http1,
    grpc,
    url: `http://127.0.0.1:${port.address.port}`,
    slowRequests: () => slow.length,
    finishSlow() {
      for (const response of slow.splice(0)) response.end('slow')
    },
    bytesFrom: (remotePort) => sockets.get(remotePort)?.bytesRead,
  }
}

/**
 * Sends to a new connection, each time after the last bytes have arrived, and reads until it ends or the text has
 * arrived.
 */
export async function exchange(
  { port, bytesFrom }: BothServers,
  writes: readonly (string | Buffer)[],
  until?: string,
): Promise<string> {
  const socket = connect({ port: port.address.port, host: '127.0.0.1', noDelay: true })
  closeLater(() => void socket.destroy())
  socket.on('error', () => undefined)
  let text = ''
  socket.setEncoding('latin1')
  const ended = new Promise<void>((resolve) => {
    socket.once('close', resolve)
    socket.on('data', (more) => {
      text += more
      if (until !== undefined && text.includes(until)) resolve()
    })
  })
  await once(socket, 'connect')
  const { localPort } = socket
  let written = 0
  for (const write of writes) {
    socket.write(write)
    written += Buffer.byteLength(write)
    while (!socket.destroyed && (bytesFrom(localPort) ?? 0) < written) await turn()
  }
  await ended
  return text
}
