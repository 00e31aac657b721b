import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { onTestFinished } from 'vitest'
import { createHttp1Connections } from '../client/connection-pool.ts'
import type { Http1Call, Http1Connections, Http1Options } from '../client/types.ts'

/** A received request. */
export interface ScriptedRequest {
  readonly socket: Socket
  /** Number of the connection, from 1. */
  readonly connection: number
  /** Number of the request on its connection, from 1. */
  readonly sequence: number
  /** Request line and header fields. */
  readonly head: string
  readonly body: string
}

/** An upstream that responds with bytes that the test provides. */
export interface ScriptedUpstream {
  readonly url: URL
  readonly requests: readonly ScriptedRequest[]
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>
  stop(): void
}

/** Starts an upstream that is closed when the test finishes. */
export async function scriptedUpstream(
  handler: (request: ScriptedRequest) => unknown,
): Promise<ScriptedUpstream> {
  return overServer(createServer(), 'connection', 'http', handler)
}

/** Same as {@link scriptedUpstream}, on a server that the caller provides. */
export async function overServer(...options: Parameters<typeof startOverServer>): Promise<ScriptedUpstream> {
  const upstream = await startOverServer(...options)
  onTestFinished(upstream.stop)
  return upstream
}

/** Starts an upstream for several tests, or for a part of one. */
export function startScriptedUpstream(
  handler: (request: ScriptedRequest) => unknown,
): Promise<ScriptedUpstream> {
  return startOverServer(createServer(), 'connection', 'http', handler)
}

async function startOverServer(
  server: Server,
  event: 'connection' | 'secureConnection',
  protocol: 'http' | 'https',
  handler: (request: ScriptedRequest) => unknown,
): Promise<ScriptedUpstream> {
  const requests: ScriptedRequest[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  server.on(event, (socket: Socket) => {
    const connection = ++connections
    let sequence = 0
    let text = ''
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (;;) {
        const end = text.indexOf('\r\n\r\n') + 4
        const head = text.slice(0, end)
        const [, length = '0'] = /\r\ncontent-length: (\d+)\r\n/i.exec(head) ?? []
        if (end < 4 || text.length < end + Number(length)) return
        const body = text.slice(end, end + Number(length))
        text = text.slice(end + Number(length))
        const request = { socket, connection, sequence: ++sequence, head, body }
        requests.push(request)
        handler(request)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  const { port } = server.address() as AddressInfo
  return { url: new URL(`${protocol}://127.0.0.1:${port}`), requests, sockets, stop }
}

/** Opens connections that are closed when the test finishes. */
export function connectionsTo(url: URL, options: Partial<Http1Options> = {}): Http1Connections {
  const connections = createHttp1Connections(url, {
    connect: (target, isSecure) => (isSecure ? connectTls(target) : connect(target)),
    connectTimeoutMs: 20_000,
    headTimeoutMs: 20_000,
    bodyTimeoutMs: 20_000,
    maxConnections: 32,
    ...options,
  })
  onTestFinished(() => connections.close())
  return connections
}

/** A repeatable call. */
export function post(body: string, options: Partial<Http1Call> = {}): Http1Call {
  return {
    method: 'POST',
    target: '/',
    fields: '',
    body,
    latencyClass: 'long',
    isRepeatable: true,
    ...options,
  }
}

/** An ordinary response. */
export function plain(body: string, fields = ''): string {
  return `HTTP/1.1 200 OK\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}
