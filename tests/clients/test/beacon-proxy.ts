import { once } from 'node:events'
import { createServer, request as send } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline } from 'node:stream'

/** A provider-style proxy in front of a real beacon node, at `/beacon/<token>`. A test can break its connections. */
export interface BeaconProxy {
  readonly url: string
  /** Method and path of every received request. */
  readonly requests: readonly string[]
  /** Breaks every connection without notice. */
  disconnect(): void
  close(): Promise<void>
}

export async function startBeaconProxy(target: string, token: string): Promise<BeaconProxy> {
  const prefix = `/beacon/${token}`
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    if (!url.startsWith(prefix)) {
      response.writeHead(401).end()
      return
    }
    requests.push(`${method} ${url.slice(prefix.length)}`)
    const { host: _host, ...forwardedHeaders } = headers
    const upstreamRequest = send(
      target + url.slice(prefix.length),
      { method, headers: forwardedHeaders },
      (upstreamResponse) => {
        response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
        response.flushHeaders()
        pipeline(upstreamResponse, response, () => {})
      },
    )
    upstreamRequest.on('error', () => response.destroy())
    response.on('close', () => upstreamRequest.destroy())
    pipeline(request, upstreamRequest, () => {})
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const disconnect = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    disconnect,
    async close() {
      server.close()
      disconnect()
      await once(server, 'close')
    },
  }
}
