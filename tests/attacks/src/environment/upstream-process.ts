// An upstream of the attacked gateway in a separate process: an EVM node with many logs and a beacon node with many
// validators and large events on one port, and a Geyser server on another.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGrpcServer, frameMessage, implement, raw } from '@fairlead/grpc-transport'
import { GeyserDefinition, SubscribeUpdate } from '@fairlead/grpc/geyser'

/** URLs of the upstreams, sent to the parent process. */
export interface UpstreamUrls {
  readonly http: string
  readonly grpc: string
}

const shortMs = 2
const longMs = 10_000
const blockMs = 1_000
const logsInBlock = 1_000
const startedAt = Date.now() - 100 * blockMs
const eventMs = 100
const eventBytes = 64 << 10
const json = { 'content-type': 'application/json' }
const root = JSON.stringify({ data: { root: hexOf(1, 64) } })
const validators = JSON.stringify({
  data: Array.from({ length: 20_000 }, (_, index) => ({ index, balance: hexOf(index, 64) })),
})
const encodedUpdate = SubscribeUpdate.encode(
  SubscribeUpdate.fromPartial({
    filters: ['all'],
    updateOneof: {
      $case: 'account',
      value: { account: { pubkey: new Uint8Array(32), data: new Uint8Array(eventBytes) }, slot: 1n },
    },
  }),
).finish()
const accountUpdate = frameMessage(encodedUpdate)

const latest = () => Math.floor((Date.now() - startedAt) / blockMs)
const hashOf = (number: number) => hexOf(number, 64)

function hexOf(number: number, digits = 0): string {
  return `0x${number.toString(16).padStart(digits, '0')}`
}

function block(number: number) {
  return {
    number: hexOf(number),
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: hexOf(number),
    logsBloom: `0x${'ff'.repeat(256)}`,
    transactions: [],
  }
}

function logsOf(number: number) {
  return Array.from({ length: logsInBlock }, (_, index) => ({
    address: hexOf(index, 40),
    topics: [hexOf(index, 64)],
    data: '0x',
    blockNumber: hexOf(number),
    blockHash: hashOf(number),
    transactionHash: hexOf(number * logsInBlock + index, 64),
    transactionIndex: '0x0',
    logIndex: hexOf(index),
    removed: false,
  }))
}

function resultOf(method: string, params: readonly unknown[]): unknown {
  const [first] = params
  switch (method) {
    case 'eth_chainId':
      return '0x1'
    case 'web3_clientVersion':
      return 'Geth/v1.16.4'
    case 'eth_syncing':
      return false
    case 'eth_blockNumber':
      return hexOf(latest())
    case 'eth_getBlockByNumber':
      return block(String(first).startsWith('0x') ? Number(first) : latest())
    case 'eth_getBlockByHash':
      return block(Number(first))
    case 'eth_getLogs':
      return logsOf(Number((first as { readonly blockHash?: string }).blockHash ?? latest()))
    // The first bytes of its data, so that a caller can tell its own result from that of another.
    case 'eth_call':
      return (first as { readonly data?: string }).data?.slice(0, 10)
    default:
      return '0x1'
  }
}

interface RpcCall {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

function respondToCalls(text: string, response: ServerResponse): void {
  const message = JSON.parse(text) as RpcCall | readonly RpcCall[]
  const isReverted = text.includes('0xeeee')
  const error = { code: 3, message: 'execution reverted: rate limit exceeded', data: '0x08c379a0' }
  const replies = [message].flat().map(({ id, method, params }) => ({
    jsonrpc: '2.0',
    id,
    ...(isReverted ? { error } : { result: resultOf(method, params) }),
  }))
  const body = JSON.stringify(Array.isArray(message) ? replies : replies[0])
  setTimeout(() => response.writeHead(200, json).end(body), text.includes('0x5e5e') ? longMs : shortMs)
}

function respondToOperation({ url = '' }: IncomingMessage, response: ServerResponse): void {
  if (url.startsWith('/eth/v1/events')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    return sendEvents(response)
  }
  const syncing = { data: { head_slot: String(latest()), sync_distance: '0', is_syncing: false } }
  const body = url.endsWith('/validators')
    ? validators
    : url.endsWith('/syncing')
      ? JSON.stringify(syncing)
      : root
  setTimeout(() => response.writeHead(200, json).end(body), shortMs)
}

function sendEvents(response: ServerResponse): void {
  const event = `event: head\ndata: {"slot":"1","note":"${'x'.repeat(eventBytes)}"}\n\n`
  const timer = setInterval(() => {
    if (!response.writableNeedDrain) response.write(event)
  }, eventMs)
  response.once('close', () => clearInterval(timer))
}

const geyser = implement(GeyserDefinition, {
  subscribe: raw(async (stream) => {
    while (!stream.hasEnded) {
      if (!stream.write(accountUpdate)) await stream.drained()
      await new Promise((resolve) => setTimeout(resolve, eventMs))
    }
  }),
  getSlot: () => ({ slot: 300_000_000n }),
  ping: ({ count }) => ({ count }),
})
const grpc = createGrpcServer({ implementations: [geyser] })
await grpc.listen()
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    respondToOperation(request, response)
    return
  }
  let text = ''
  request.setEncoding('utf8').on('data', (part: string) => (text += part))
  request.once('end', () => respondToCalls(text, response))
})
server.listen({ host: '127.0.0.1', port: 0, backlog: 1_024 }, () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ http: `http://127.0.0.1:${port}`, grpc: grpc.url } satisfies UpstreamUrls)
})
process.on('disconnect', () => process.exit())
