import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'

/** A proxy from binary gRPC-web over HTTP/1.1 to a gRPC server. */
export interface WebProxy {
  readonly url: string
  close(): void
}

/** Starts the proxy on a loopback port; each call uses its own connection. */
export async function startWebProxy(target: string): Promise<WebProxy> {
  const server = createServer((request, response) => void forward(target, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function forward(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const session = connect(target)
  const stream = session.request({
    ':method': 'POST',
    ':path': request.url ?? '/',
    'content-type': 'application/grpc+proto',
    te: 'trailers',
  })
  session.on('error', () => response.destroy())
  stream.on('error', () => response.destroy())
  stream.on('close', () => session.destroy())
  response.on('close', () => stream.close(8))
  stream.end(Buffer.concat(chunks))
  stream.on('response', (headers: IncomingHttpHeaders) => {
    for (const [name, value] of Object.entries(headers)) {
      if (name.startsWith('grpc-')) response.setHeader(name, value ?? '')
    }
    response.setHeader('content-type', 'application/grpc-web+proto')
    response.flushHeaders()
  })
  stream.on('data', (data: Buffer) => response.write(data))
  stream.on('trailers', (trailers: IncomingHttpHeaders) => {
    const text = Buffer.from(
      Object.entries(trailers)
        .map(([name, value]) => `${name}: ${String(value)}\r\n`)
        .join(''),
    )
    const head = Buffer.alloc(5)
    head[0] = 0x80
    head.writeUInt32BE(text.length, 1)
    response.write(Buffer.concat([head, text]))
  })
  stream.on('end', () => response.end())
}
