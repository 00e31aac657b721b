import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received request. */
export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** An HTTP server whose responses a test defines. */
export interface HttpServer {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Returns the number of open connections. */
  connections(): Promise<number>
  close(): Promise<void>
}

export type RequestHandler = (
  request: ReceivedRequest,
  response: ServerResponse,
  count: number,
) => void | Promise<void>

/** Starts a server on a loopback port. `handle` receives the number of the request, starting at 1. */
export async function startHttpServer(handle: RequestHandler, port = 0): Promise<HttpServer> {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    response.on('error', () => {})
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method = '', url = '', headers } = request
      requests.push({ method, url, headers, body: Buffer.concat(chunks) })
      await handle(requests.at(-1) as ReceivedRequest, response, requests.length)
    })()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    connections: () => connectionsOf(server),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function connectionsOf(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)))
  })
}

/** Responds with JSON. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/**
 * Returns a URL with a port on which nothing listens.
 *
 * A server that listens on port 0 never gets one of these ports. Port 1 is not usable: `fetch` blocks it.
 */
export function unusedUrl(port: 2 | 3 | 4 = 2): string {
  return `http://127.0.0.1:${port}`
}
