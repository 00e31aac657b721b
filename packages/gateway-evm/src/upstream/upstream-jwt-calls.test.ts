import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { pino } from 'pino'
import { inFrontOf, token } from '../testing/listener-fixture.ts'
import { secretEncodings } from '@fairlead/gateway-core/testing/secret-encodings'
import { waitFor } from '@fairlead/vitest/wait-for'
import { openWebSocket } from '@fairlead/gateway-core/testing/websocket-client'
import { createUpstreamJwt } from './upstream-jwt.ts'
import { createWebSocketUpstream } from './websocket-upstream.ts'

const secret = 'c4'.repeat(32)
const bearer = /^Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\.[\w-]+\.[\w-]{43}$/
// All encodings are in `redaction-matrix.test.ts`.
const encodings = ['plain', 'in JSON', 'percent-encoded', 'base64']
const call = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'

/** Returns the text that an upstream quotes in its errors, given the credentials of the call. */
type Quote = (credentials: string) => string

/** Starts an upstream that records the credentials of its callers, and responds to every call with an error. */
async function nodeBehindJwt() {
  const received: { http: string[]; handshakes: string[] } = { http: [], handshakes: [] }
  let quote: Quote = () => 'no'
  const errorOf = (id: unknown, credentials: string) => {
    const message = `no entry with ${quote(credentials)} here`
    return { jsonrpc: '2.0', id, error: { code: -32000, message, data: [message] } }
  }
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const credentials = String(request.headers.authorization)
    received.http.push(credentials)
    response.setHeader('content-type', 'application/json')
    const calls = JSON.parse(await readText(request)) as { id: unknown } | { id: unknown }[]
    const errors = Array.isArray(calls)
      ? calls.map(({ id }) => errorOf(id, credentials))
      : errorOf(calls.id, credentials)
    response.end(JSON.stringify(errors))
  }
  const server = createServer((request, response) => void respond(request, response))
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (client, { headers }) => {
    const credentials = String(headers.authorization)
    received.handshakes.push(credentials)
    client.on('message', (data: Buffer) => {
      const { id } = JSON.parse(data.toString()) as { id: number }
      client.send(JSON.stringify(errorOf(id, credentials)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-jwt-'))
  onTestFinished(async () => {
    sockets.close()
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  })
  const file = join(folder, 'jwt.hex')
  await writeFile(file, `0x${secret}`)
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    received,
    sockets,
    file,
    host,
    setQuote: (change: Quote) => void (quote = change),
  }
}

it('sends a token with requests and handshakes, and reveals neither the token nor the secret', async () => {
  const node = await nodeBehindJwt()
  const gateway = await inFrontOf(`http://${node.host}/path#jwt=${node.file}`, {
    websocket: `ws://${node.host}/path#jwt=${node.file}`,
  })
  const post = async (body: string) =>
    (await fetch(`${gateway.url}/${token}`, { method: 'POST', body })).text()
  const client = await openWebSocket(gateway.wsUrl)
  const ways = {
    single: () => post(call),
    batch: () => post(`[${call},${call.replace('1', '2')}]`),
    WebSocket: async () => JSON.stringify(await client.call('eth_gasPrice')),
    subscription: async () => JSON.stringify(await client.call('eth_subscribe', ['syncing'])),
  }
  const tokenIn = (credentials: string) => credentials.replace('Bearer ', '')
  for (const [way, read] of Object.entries(ways)) {
    for (const hiddenIn of [() => secret, tokenIn]) {
      for (const encoding of encodings) {
        const quoted: string[] = []
        node.setQuote((credentials) => {
          const encoded = new Map(secretEncodings(hiddenIn(credentials))).get(encoding) ?? ''
          quoted.push(hiddenIn(credentials), encoded)
          return encoded
        })
        const text = (await read()).toLowerCase()
        expect(text, `${way}: ${encoding}`).toContain('***')
        const left = quoted.filter((each) => text.includes(each.toLowerCase()))
        expect(left, `${way}: ${encoding}`).toEqual([])
      }
    }
  }
  client.socket.close()
  const credentials = [...node.received.http, ...node.received.handshakes]
  expect(credentials.filter((each) => !bearer.test(each))).toEqual([])
  expect(node.received.handshakes).not.toEqual([])
  const output = `${gateway.log()}${await gateway.metrics()}`
  for (const hidden of [secret, 'eyJ', 'jwt.hex']) expect(output).not.toContain(hidden)
})

it('sends a current token with each handshake', async () => {
  const node = await nodeBehindJwt()
  let now = 1_700_000_000_000
  const jwt = createUpstreamJwt(Buffer.from(secret, 'hex'), () => now)
  const target = { address: `ws://${node.host}`, jwt }
  const socket = createWebSocketUpstream([target], 5_000, pino({ level: 'silent' }))
  onTestFinished(() => socket.close())
  const onFailure = vi.fn()
  const first = socket.subscribe(['syncing'], { onLive: vi.fn(), onResult: vi.fn(), onFailure })
  await waitFor(() => expect(onFailure).toHaveBeenCalled())
  now += 3_600_000
  const later = jwt.current()
  for (const client of node.sockets.clients) client.terminate()
  await waitFor(() => expect(node.received.handshakes.length).toBe(2))
  first.end()
  expect(node.received.handshakes[0]).toMatch(bearer)
  expect(node.received.handshakes[0]).not.toBe(later.authorization)
  expect(node.received.handshakes[1]).toBe(later.authorization)
})

it('rejects calls when the secret cannot be read, without the file name in the response', async () => {
  const gateway = await inFrontOf('http://127.0.0.1:9#jwt=/nowhere/c4n4ry.hex')
  const response = await fetch(`${gateway.url}/${token}`, { method: 'POST', body: call })
  expect([response.status, await response.json()]).toEqual([
    503,
    expect.objectContaining({
      error: expect.objectContaining({ message: 'The JWT secret of this upstream cannot be read.' }),
    }),
  ])
  expect(gateway.log()).not.toContain('c4n4ry')
})
