import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

/** A proxy in front of a real upstream. It can disconnect, and it counts calls. */
export interface NodeProxy {
  readonly url: string
  readonly wsUrl: string
  /** Number of calls of each method over WebSocket. */
  readonly requestCounts: ReadonlyMap<string, number>
  /** Maximum number of simultaneous calls over HTTP. */
  maxConcurrent(): number
  /** Closes all connections and accepts no new ones. */
  cut(): void
  restore(): void
  stop(): Promise<void>
}

/** Starts a proxy in front of an upstream URL that serves HTTP and WebSocket. */
export async function proxyTo(nodeUrl: string): Promise<NodeProxy> {
  const requestCounts = new Map<string, number>()
  const sockets = new Set<Socket>()
  let isCut = false
  let inFlight = 0
  let maxInFlight = 0
  const post = async (request: IncomingMessage, response: ServerResponse) => {
    inFlight += 1
    maxInFlight = Math.max(maxInFlight, inFlight)
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const upstreamResponse = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    const text = await upstreamResponse.text()
    inFlight -= 1
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  }
  const server = createServer(
    (request, response) => void post(request, response).catch(() => response.destroy()),
  )
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    if (isCut) socket.destroy()
  })
  new WebSocketServer({ server }).on('connection', (client) => {
    const node = new WebSocket(nodeUrl.replace('http', 'ws'))
    const opened = new Promise((resolve) => node.once('open', resolve))
    client.on('message', (data) => {
      const text = (data as Buffer).toString()
      const { method } = JSON.parse(text) as { method: string }
      requestCounts.set(method, (requestCounts.get(method) ?? 0) + 1)
      void opened.then(() => node.send(text))
    })
    node.on('message', (data) => client.send((data as Buffer).toString()))
    client.on('error', () => undefined).on('close', () => node.terminate())
    node.on('error', () => undefined).on('close', () => client.terminate())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url,
    wsUrl: url.replace('http', 'ws'),
    requestCounts,
    maxConcurrent: () => maxInFlight,
    cut,
    restore: () => (isCut = false),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
