import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

export interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params?: readonly unknown[]
}

/**
 * A provider-style proxy in front of a real node. A test can break its connections, count its calls and make it reject
 * them.
 */
export interface NodeProxy {
  readonly url: string
  /** Every received call. */
  readonly calls: RpcCall[]
  /** If this returns an error object, the proxy responds with it instead of the node. */
  reject: (call: RpcCall) => { code: number; message: string; data?: unknown } | undefined
  /** Breaks every connection without notice. Returns their number. */
  disconnect(): number
  close(): Promise<void>
}

export async function startNodeProxy(target: string): Promise<NodeProxy> {
  const sockets = new Set<Socket>()
  const rejectionOf = (call: RpcCall) => {
    proxy.calls.push(call)
    const error = proxy.reject(call)
    return error && { jsonrpc: '2.0', id: call.id, error }
  }
  const server = createServer((request, response) => {
    void (async () => {
      try {
        const body = await textOf(request)
        const calls = JSON.parse(body) as RpcCall | RpcCall[]
        const rejection = Array.isArray(calls) ? undefined : rejectionOf(calls)
        response.setHeader('content-type', 'application/json')
        const headers = { 'content-type': 'application/json' }
        const text = rejection
          ? JSON.stringify(rejection)
          : await (await fetch(target, { method: 'POST', headers, body })).text()
        response.end(text)
      } catch {
        response.destroy()
      }
    })()
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  const acceptor = new WebSocketServer({ server })
  acceptor.on('connection', (client) => {
    const upstream = new WebSocket(target.replace('http:', 'ws:'))
    const waiting: string[] = []
    client.on('message', (data: Buffer) => {
      const text = data.toString()
      const calls = JSON.parse(text) as RpcCall | RpcCall[]
      const rejection = Array.isArray(calls) ? undefined : rejectionOf(calls)
      if (rejection) client.send(JSON.stringify(rejection))
      else if (upstream.readyState === WebSocket.OPEN) upstream.send(text)
      else waiting.push(text)
    })
    upstream.on('open', () => {
      for (const text of waiting) upstream.send(text)
    })
    upstream.on('message', (data: Buffer) => client.send(data.toString()))
    for (const [source, destination] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      source.on('error', () => {})
      source.on('close', () => destination.terminate())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy: NodeProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    reject: () => undefined,
    disconnect() {
      const { size } = sockets
      for (const socket of sockets) socket.destroy()
      return size
    },
    async close() {
      acceptor.close()
      server.close()
      proxy.disconnect()
      await once(server, 'close')
    },
  }
  return proxy
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string
  return text
}
