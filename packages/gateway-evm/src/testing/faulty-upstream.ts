import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { reservePort } from '@fairlead/vitest/reserved-port'

/** Fault of a fake upstream. */
export type Fault =
  | 'none'
  | 'hang'
  | 'cut'
  | 'garbage'
  | 'truncated'
  | 'half body'
  | 'stalled body'
  | 'busy text'
  | 429
  | 500

/** Scripted response to a method: a result or an error. */
export type Scripted = { readonly result: unknown } | { readonly error: Readonly<Record<string, unknown>> }

/** A response over HTTP. */
export interface RawResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** A response to which version and id are added, or a text in which the id replaces `ID`. */
  readonly body: string | Scripted
}

/** A fake upstream with a simulated chain and faults that a test sets. */
export interface FaultyUpstream {
  readonly url: string
  /** Received methods, without those of the health check. */
  readonly received: string[]
  /** All received methods, including those of the health check. */
  readonly allReceived: string[]
  fault: Fault
  /** Delay before each response, in milliseconds. */
  delayMs: number
  head: number
  /** Blocks from this number on have hashes that start with this mark. */
  fork: { readonly from: number; readonly prefix: string } | undefined
  chainId: string
  /** Number of the block with the tag `finalized`. Undefined for an upstream without the tag. */
  finalized: number | undefined
  readonly responses: Record<
    string,
    Scripted | ((params: readonly unknown[]) => Scripted | Promise<Scripted>)
  >
  /** Responses by method that replace all others. */
  readonly raw: Record<string, RawResponse>
  kill(): Promise<void>
  revive(): Promise<void>
}

/** Starts a fake upstream that responds to `eth_gasPrice` with its name, until the running test ends. */
export async function faultyUpstream(
  name: string,
  overrides: Partial<FaultyUpstream> = {},
): Promise<FaultyUpstream> {
  const sockets = new Set<Socket>()
  let server: Server
  const port = await reservePort()
  const listen = async () => {
    server = createServer(
      (request, response) => void respond(request, response).catch(() => response.destroy()),
    )
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  }
  const kill = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  const hashOf = (number: number) => {
    const prefix = node.fork && number >= node.fork.from ? node.fork.prefix : ''
    return `0x${prefix}${number.toString(16).padStart(64 - prefix.length, '0')}`
  }
  const block = (number: number) => ({
    number: `0x${number.toString(16)}`,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
  })
  const blockAt = (tag: unknown): Scripted => {
    if (tag === 'latest') return { result: block(node.head) }
    if (tag === 'finalized') {
      if (node.finalized === undefined) return { error: { code: -39001, message: 'Unknown block' } }
      return { result: block(node.finalized) }
    }
    return { result: Number(tag) <= node.head ? block(Number(tag)) : null }
  }
  const scripted = (method: string, params: readonly unknown[]): Scripted | Promise<Scripted> => {
    const script = node.responses[method]
    if (script) return typeof script === 'function' ? script(params) : script
    switch (method) {
      case 'eth_chainId':
        return { result: node.chainId }
      case 'eth_blockNumber':
        return { result: `0x${node.head.toString(16)}` }
      case 'eth_getBlockByNumber':
        return blockAt(params[0])
      default:
        return { result: name }
    }
  }
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { id, method, params } = JSON.parse(text) as { id: unknown; method: string; params: unknown[] }
    const isHealthCheck =
      method === 'eth_chainId' || (method === 'eth_getBlockByNumber' && /^[a-z]+$/.test(String(params[0])))
    node.allReceived.push(method)
    if (!isHealthCheck) node.received.push(method)
    if (node.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, node.delayMs))
    const raw = node.raw[method]
    if (raw) return writeRaw(response, raw, id)
    const body = JSON.stringify({ jsonrpc: '2.0', id, ...(await scripted(method, params)) })
    write(response, node.fault, body)
  }
  const node: FaultyUpstream = {
    url: '',
    received: [],
    allReceived: [],
    fault: 'none',
    delayMs: 0,
    head: 1_000,
    fork: undefined,
    chainId: '0x7a69',
    finalized: 900,
    responses: {},
    raw: {},
    kill,
    revive: listen,
    ...overrides,
  }
  await listen()
  onTestFinished(kill)
  return Object.assign(node, { url: `http://127.0.0.1:${port}` })
}

function writeRaw(response: ServerResponse, { status, headers = {}, body }: RawResponse, id: unknown): void {
  const text =
    typeof body === 'string'
      ? body.replaceAll('ID', JSON.stringify(id))
      : JSON.stringify({ jsonrpc: '2.0', id, ...body })
  response.writeHead(status, headers).end(text)
}

function write(response: ServerResponse, fault: Fault, body: string): void {
  const json = { 'content-type': 'application/json' }
  switch (fault) {
    case 'hang':
      return
    case 'cut':
      response.destroy()
      return
    case 'garbage':
      response.writeHead(200, json).end('<html>Bad gateway</html>')
      return
    case 'truncated':
      response.writeHead(200, json).end(body.slice(0, -2))
      return
    case 'half body':
      response.writeHead(200, { ...json, 'content-length': String(body.length) })
      response.write(body.slice(0, 10), () => response.destroy())
      return
    case 'stalled body':
      response.writeHead(200, { ...json, 'content-length': String(body.length) })
      response.write(body.slice(0, 10))
      return
    case 'busy text':
      response
        .writeHead(200, json)
        .end('{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"rate limit reached"}}')
      return
    case 429:
      response.writeHead(429, { ...json, 'retry-after': '30' }).end('{}')
      return
    case 500:
      response.writeHead(500, json).end('{}')
      return
    case 'none':
      response.writeHead(200, json).end(body)
      return
    default:
      fault satisfies never
  }
}
