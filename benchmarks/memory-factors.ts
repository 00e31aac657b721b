// How much resident memory a byte that the gateway counts really costs. Each scenario makes a fresh gateway hold data,
// and compares the growth of its memory with what `fairlead_memory_reserved_bytes` reports.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { hasPostgresql, startPostgresql } from './fixtures/postgresql.ts'
import { memoryMb } from './fixtures/process-cost.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { type RunningGateway, serve } from './fixtures/gateway-process.ts'

/** What is held, and by how many clients. */
interface Scenario {
  readonly name: string
  readonly clients: number
  /** Makes one client hold data; resolves when it was sent. */
  hold(gateway: RunningGateway): Promise<Socket>
}

const bodyBytes = 1_000_000
const settleMs = 5_000
const sampleMs = 250

const longCall = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_call',
  params: [{ to: `0x${'5e'.repeat(20)}`, data: `0x${'ab'.repeat(bodyBytes / 2)}` }, 'latest'],
})
// Many short values cost more than one long one.
const structuredCall = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_getLogs',
  params: [
    {
      address: `0x${'5e'.repeat(20)}`,
      topics: [Array.from({ length: bodyBytes / 70 }, (_, at) => `0x${at.toString(16).padStart(64, '0')}`)],
    },
  ],
})
const shortCalls = `[${Array.from({ length: 100 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"eth_gasPrice","params":[]}`).join(',')}]`

const scenarios: readonly Scenario[] = [
  { name: 'bodies, one long value', clients: 40, hold: (gateway) => post(gateway, longCall) },
  { name: 'bodies, many values', clients: 40, hold: (gateway) => post(gateway, structuredCall) },
  { name: 'messages over WebSocket', clients: 40, hold: (gateway) => message(gateway, structuredCall) },
  {
    name: 'incomplete messages',
    clients: 40,
    hold: (gateway) => message(gateway, structuredCall, structuredCall.length + 1),
  },
  { name: 'unread batches of 6 MB', clients: 10, hold: (gateway) => post(gateway, shortCalls) },
  { name: 'idle WebSockets', clients: 2_000, hold: (gateway) => message(gateway) },
]

const flags = readFlags(import.meta.filename, {
  only: {
    type: 'string',
    default: scenarios.map(({ name }) => name).join(';'),
    description: 'some of these, with ; between them',
  },
})

console.log(`${'held'.padEnd(28)}clients  RSS MB before  growth  reserved MB  growth / reserved`)
for (const name of flags.only.split(';')) {
  const scenario = scenarios.find((candidate) => candidate.name === name)
  if (!scenario) throw new Error(`There is no scenario with the name ${name}.`)
  await measure(scenario)
}
process.exit(0)

async function measure({ name, clients, hold }: Scenario): Promise<void> {
  // Growth would not show in the free memory of the embedded database.
  if (!hasPostgresql) throw new Error('The benchmark needs the programs of PostgreSQL.')
  const database = await startPostgresql()
  const upstream = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => respond(body, response))
  })
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const gateway = await serve(
    {
      FAIRLEAD_EVM_UPSTREAM: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      DATABASE_URL: database.url,
      FAIRLEAD_MAX_HELD_BYTES: String(2 ** 34),
      FAIRLEAD_MAX_WEBSOCKETS_PER_CREDENTIAL: '10000',
      FAIRLEAD_UPSTREAM_TIMEOUT_MS: '600000',
    },
    undefined,
    [process.execPath, '--max-old-space-size=8192'],
  )
  await pause(settleMs)
  const before = await lowest(gateway)
  const reservedBefore = await reservedMb(gateway)
  const sockets: Socket[] = []
  for (let count = 0; count < clients; count += 1) sockets.push(await hold(gateway))
  await pause(settleMs)
  const growth = (await lowest(gateway)) - before
  const reserved = (await reservedMb(gateway)) - reservedBefore
  console.log(
    name.padEnd(28) +
      String(clients).padStart(7) +
      before.toFixed(0).padStart(15) +
      growth.toFixed(0).padStart(8) +
      reserved.toFixed(1).padStart(13) +
      (growth / reserved).toFixed(2).padStart(19),
  )
  for (const socket of sockets) socket.destroy()
  await gateway.stop()
  upstream.closeAllConnections()
  upstream.close()
  await database.stop()
}

/** `eth_gasPrice` gets a response of 60 kB, a long call none. */
function respond(body: string, response: ServerResponse): void {
  if (body.length > bodyBytes / 2) return
  const calls = [JSON.parse(body) as { readonly id: unknown; readonly method: string }].flat()
  const results = calls.map(({ id, method }) => ({
    jsonrpc: '2.0',
    id,
    result: method === 'eth_gasPrice' ? `0x${'1'.repeat(60_000)}` : '0x1',
  }))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body.startsWith('[') ? results : results[0]))
}

/** The lowest of some samples: garbage that is not collected yet is not held. */
async function lowest({ processId }: RunningGateway): Promise<number> {
  let least = Infinity
  for (let sample = 0; sample < settleMs / sampleMs; sample += 1) {
    least = Math.min(least, memoryMb(processId))
    await pause(sampleMs)
  }
  return least
}

async function reservedMb({ url }: RunningGateway): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^fairlead_memory_reserved_bytes (\d+)/m.exec(text)?.[1]) / 2 ** 20
}

async function open({ url }: RunningGateway): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends a call whose response is not read. */
async function post(gateway: RunningGateway, body: string): Promise<Socket> {
  const socket = (await open(gateway)).pause()
  const head = `POST /${gateway.token} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  await new Promise((sent) => socket.write(head + body, sent))
  return socket
}

/** Opens a WebSocket and sends a message, of which only the text arrives when it states a greater length. */
async function message(gateway: RunningGateway, text = '', length = text.length): Promise<Socket> {
  const socket = await open(gateway)
  const key = Buffer.alloc(16).toString('base64')
  socket.write(
    `GET /ws/${gateway.token} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  )
  await once(socket, 'data')
  if (text === '') return socket
  const head = Buffer.alloc(14)
  head.writeUInt8(0x81, 0)
  head.writeUInt8(0xff, 1)
  head.writeBigUInt64BE(BigInt(length), 2)
  await new Promise((sent) => socket.write(Buffer.concat([head, Buffer.from(text)]), sent))
  return socket
}
