import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { createGrpcServer, type GrpcServer } from '../../server/grpc-server.ts'
import { implement } from '../../server/implement.ts'
import { closeLater, TextDefinition, type TextHandlers } from '../../server/testing/text-service.ts'
import { createPortServer, type PortServer, type PortServerOptions } from '../port-server.ts'

/** A port in front of a server of HTTP/1.1 that echoes, and of a gRPC server. */
export interface BothServers {
  readonly port: PortServer
  readonly http1: Server
  readonly grpc: GrpcServer
  /** `http://host:port` */
  readonly url: string
}

/** Listens; paths of HTTP/1.1: `/slow` answers after a while, and everything else echoes. */
export async function listenToBoth(
  options: Omit<PortServerOptions, 'http1' | 'http2'> & { readonly http1?: Server } = {},
  handlers: TextHandlers = {},
): Promise<BothServers> {
  const http1 = options.http1 ?? createServer()
  http1.on('request', (request, response) => {
    if (request.url === '/slow') {
      setTimeout(() => response.end('slow'), 200)
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
  return { port, http1, grpc, url: `http://127.0.0.1:${port.address.port}` }
}

/** Writes to a new connection, a moment apart, and reads until it ends or the text is there. */
export async function exchange(
  { port }: BothServers,
  writes: readonly (string | Buffer)[],
  until?: string,
): Promise<string> {
  const socket = connect({ port: port.address.port, host: '127.0.0.1', noDelay: true })
  closeLater(() => void socket.destroy())
  socket.on('error', () => undefined)
  let text = ''
  socket.setEncoding('latin1')
  const over = new Promise<void>((resolve) => {
    socket.once('close', resolve)
    socket.on('data', (more) => {
      text += more
      if (until !== undefined && text.includes(until)) resolve()
    })
  })
  await once(socket, 'connect')
  for (const write of writes) {
    socket.write(write)
    await new Promise((resolve) => setTimeout(resolve, 3))
  }
  await over
  return text
}
