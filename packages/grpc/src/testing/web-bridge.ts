import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Transform } from 'node:stream'

/** A proxy from HTTP/1.1 to a server that speaks binary gRPC-web over HTTP/2; it adds the text format. */
export interface WebBridge {
  readonly url: string
  close(): void
}

/** Starts the bridge on a loopback port. */
export async function startWebBridge(target: string): Promise<WebBridge> {
  const session = connect(target)
  session.on('error', () => undefined)
  const server = createServer((request, response) => void forward(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const {
      connection: _,
      host: __,
      'transfer-encoding': ___,
      'content-length': ____,
      ...headers
    } = request.headers
    const isText = headers['content-type']?.startsWith('application/grpc-web-text') ?? false
    const binary = { 'content-type': 'application/grpc-web+proto', accept: 'application/grpc-web+proto' }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const stream = session.request({ ...headers, ...binary, ':method': 'POST', ':path': request.url ?? '/' })
    stream.on('error', () => response.destroy())
    response.on('close', () => stream.close(8))
    stream.end(isText ? Buffer.from(body.toString('latin1'), 'base64') : body)
    const [responseHeaders] = (await once(stream, 'response')) as [IncomingHttpHeaders]
    for (const [name, value] of Object.entries(responseHeaders)) {
      if (!name.startsWith(':') && value !== undefined) response.setHeader(name, value)
    }
    if (isText) response.setHeader('content-type', 'application/grpc-web-text+proto')
    response.statusCode = Number(responseHeaders[':status'])
    response.flushHeaders()
    if (isText) stream.pipe(base64Pieces()).pipe(response)
    else stream.pipe(response)
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      session.destroy()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Encodes each chunk separately, with its own padding, and splits the text at another position. */
function base64Pieces(): Transform {
  return new Transform({
    transform(piece: Buffer, _, done) {
      const text = piece.toString('base64')
      this.push(text.slice(0, 3))
      done(null, text.slice(3))
    },
  })
}
