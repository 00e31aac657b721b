import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { reservePort } from '@fairlead/vitest/reserved-port'

/** How a relay misbehaves. `lagging` serves the chain as it was 50 blocks ago. */
export type Fault = 'none' | 'hung' | 'slow' | '500' | '429' | 'garbage' | 'truncated' | 'lagging'

/** A faulty node. Several of them may share one engine: each has the same chain, but its own faults. */
export interface FaultyRelay {
  readonly url: string
  fault: Fault
  /** The calls received so far, except those for the head or the chain, which the gateway also makes by itself. */
  readonly calls: number
  /** Stops it and its connections immediately, as a crash does. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  revive(): Promise<void>
}

const slowMs = 2_000
const lagBlocks = 50
const heightTags: readonly unknown[] = ['latest', 'pending', 'safe']

interface RpcCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** Starts a relay in front of an engine. */
export async function startRelay(engineUrl: string): Promise<FaultyRelay> {
  const sockets = new Set<Socket>()
  let server: Server
  const port = await reservePort()
  const relay = { url: '', fault: 'none' as Fault, calls: 0, kill, revive }
  let met: Fault = 'none'

  async function revive(): Promise<void> {
    server = createServer(
      (request, response) => void serve(request, response).catch(() => response.destroy()),
    )
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }

  function kill(): Promise<void> {
    return new Promise((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const calls = JSON.parse(body) as RpcCall | readonly RpcCall[]
    const clientCalls = [calls].flat().filter((call) => !isPollingCall(call)).length
    relay.calls += clientCalls
    if (clientCalls > 0) met = relay.fault
    // A fault affects the gateway's health checks only after a client call. Otherwise, the failed checks would keep all
    // client calls away.
    const fault = met === relay.fault ? met : 'none'
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs))
    // A hung call never receives a response. Only a kill ends it.
    if (fault === 'hung') return
    const json = { 'content-type': 'application/json' }
    if (fault === '500') return void response.writeHead(500, json).end('{"error":"c4n4ry"}')
    if (fault === '429') return void response.writeHead(429, { ...json, 'retry-after': '1' }).end('{}')
    if (fault === 'garbage') return void response.writeHead(200, json).end('<html>Bad gateway</html>')
    const responses =
      'method' in calls ? responseTo(calls) : Promise.all(calls.map((call) => responseTo(call)))
    const text = JSON.stringify(await responses)
    response.writeHead(200, json).end(fault === 'truncated' ? text.slice(0, text.length / 2) : text)
  }

  async function responseTo(call: RpcCall): Promise<object> {
    const envelope = { jsonrpc: '2.0', id: call.id }
    // The gateway would treat a chain with the real name and id as a development chain that may be reset at any time,
    // and would cache nothing.
    if (call.method === 'eth_chainId') return { ...envelope, result: '0x1f90' }
    if (call.method === 'web3_clientVersion') return { ...envelope, result: 'Geth/v1.16.0' }
    return relay.fault === 'lagging' ? upstreamResponse(call) : { ...(await engine(call)), ...envelope }
  }

  async function upstreamResponse(call: RpcCall): Promise<object> {
    const envelope = { jsonrpc: '2.0', id: call.id }
    const { result: latest } = await engine({ id: 1, method: 'eth_blockNumber', params: [] })
    const head = Number(latest) - lagBlocks
    const height = `0x${head.toString(16)}`
    if (call.method === 'eth_blockNumber') return { ...envelope, result: height }
    if (call.params.some((param) => /^0x[0-9a-f]{1,8}$/.test(String(param)) && Number(param) > head)) {
      const error = { code: -32000, message: 'header not found' }
      return call.method === 'eth_getBlockByNumber' ? { ...envelope, result: null } : { ...envelope, error }
    }
    const params = call.params.map((param) => (heightTags.includes(param) ? height : param))
    return { ...(await engine({ ...call, params })), ...envelope }
  }

  async function engine(call: RpcCall): Promise<{ readonly result?: unknown }> {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ jsonrpc: '2.0', ...call })
    return (await (await fetch(engineUrl, { method: 'POST', headers, body })).json()) as object
  }

  await revive()
  return Object.assign(relay, { url: `http://127.0.0.1:${port}` })
}

/** Whether the gateway may have made this call by itself. */
function isPollingCall({ method, params }: RpcCall): boolean {
  return method === 'eth_chainId' || (method === 'eth_getBlockByNumber' && /^[a-z]/.test(String(params[0])))
}
