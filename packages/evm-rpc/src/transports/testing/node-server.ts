import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { reservePort } from '@fairlead/vitest/reserved-port'
import { FairleadError } from '../../index.ts'

export interface ServerCall {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

/** The response of a server to one call: members of the response, or none. */
export type NodeResponse = { result: unknown } | { error: unknown } | undefined

/** A test node with programmable behavior, including failures. */
export interface NodeServer {
  /** URL for a client. */
  readonly url: string
  /** Every call in the order of its arrival. */
  readonly calls: ServerCall[]
  /** Every message as it arrived. */
  readonly messages: string[]
  /** Paths and headers of the handshakes. */
  readonly handshakes: { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  /** Every connection that was ever opened, the most recent one last. */
  readonly sockets: WebSocket[]
  /** Computes the response to a call; `socket` is set when the call arrived over a WebSocket. */
  respond: (call: ServerCall, socket?: WebSocket) => NodeResponse | Promise<NodeResponse>
  /** HTTP status with which handshakes and requests are rejected. */
  refuseWith: number | undefined
  /** Code and reason with which every WebSocket is closed immediately. */
  closeWith: readonly [code: number, reason: string] | undefined
  push(subscription: string, result: unknown): void
  /** Stops listening and drops every connection. */
  stop(): Promise<void>
}

export const ok = (result: unknown): NodeResponse => ({ result })
export const refused = (code: number, message = 'refused', data?: unknown): NodeResponse => ({
  error: { code, message, data },
})

/** Starts a JSON-RPC server over HTTP and WebSocket at any path; it stops with the test. */
export async function startNodeServer(port?: number): Promise<NodeServer> {
  let subscriptions = 0
  const connections = new Set<Socket>()
  const server = createServer((request, response) => void respond(request, response))
  const upgrades = new WebSocketServer({ noServer: true })
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  server.on('upgrade', (request, socket, head) => {
    node.handshakes.push({ path: request.url ?? '', headers: request.headers })
    if (node.refuseWith) {
      socket.end(`HTTP/1.1 ${node.refuseWith} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    upgrades.handleUpgrade(request, socket, head, (connection) => {
      node.sockets.push(connection)
      if (node.closeWith) return connection.close(...node.closeWith)
      connection.on('message', (data: Buffer) => void handleMessage(connection, data.toString()))
    })
  })

  async function respondTo(message: string, socket?: WebSocket): Promise<string | undefined> {
    node.messages.push(message)
    const calls = JSON.parse(message) as ServerCall | ServerCall[]
    const responses = await Promise.all(
      [calls].flat().map(async (call) => {
        node.calls.push(call)
        const response = await node.respond(call, socket)
        return response && { jsonrpc: '2.0', id: call.id, ...response }
      }),
    )
    const sentResponses = responses.filter((response) => response !== undefined)
    return sentResponses.length > 0
      ? JSON.stringify(Array.isArray(calls) ? sentResponses : sentResponses[0])
      : undefined
  }

  async function handleMessage(connection: WebSocket, message: string): Promise<void> {
    const response = await respondTo(message, connection)
    if (response) connection.send(response)
  }

  // A call without a response loses its connection.
  async function respond(request: IncomingMessage, httpResponse: ServerResponse): Promise<void> {
    const message = await text(request)
    if (node.refuseWith) return void httpResponse.writeHead(node.refuseWith).end('refused')
    const response = await respondTo(message)
    if (response) httpResponse.writeHead(200, { 'content-type': 'application/json' }).end(response)
    else httpResponse.destroy()
  }

  const node: NodeServer = {
    url: '',
    calls: [],
    messages: [],
    handshakes: [],
    sockets: [],
    refuseWith: undefined,
    closeWith: undefined,
    respond: ({ method }) => ok(method === 'eth_subscribe' ? `0x${(++subscriptions).toString(16)}` : '0x1'),
    push(subscription, result) {
      const params = { subscription, result }
      node.sockets.at(-1)?.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
    },
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const socket of connections) socket.destroy()
      await closed
    },
  }
  server.listen(port ?? (await reservePort()), '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => node.stop())
  return Object.assign(node, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

/** Returns the error of a call. */
export async function failure(call: Promise<unknown>): Promise<FairleadError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!FairleadError.is(error)) throw new Error('expected a Fairlead error', { cause: error })
  return error
}
