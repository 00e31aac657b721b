// Many subscribers to the heads of one node: CPU, memory and delay of the service, as ratios to a bare broadcast server
// on `ws` that hands every head to its clients unseen. Both are measured in turns within one run, as machines are noisy.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDevnet } from '@fairlead/devnet'
import { WebSocket, WebSocketServer } from 'ws'

const subscribers = Number(process.env['SUBSCRIBERS'] ?? 5_000)
const rounds = 3
const headsPerRound = 20
const headMs = 400
const ticksPerSecond = 100

const [, file = '', role, address = '', nodeAddress = ''] = process.argv
if (role === 'floor') await broadcast(address)
else if (role === 'clients') await subscribe(address, nodeAddress)
else await measureBoth()

/** The floor: one subscription at the node, and its notifications to everybody. */
async function broadcast(node: string): Promise<void> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  server.on('connection', (client) => client.on('message', () => client.send('{"id":1,"result":"0x1"}')))
  const upstream = new WebSocket(node)
  await once(upstream, 'open')
  upstream.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  upstream.on('message', (data: Buffer) => {
    const text = data.toString()
    if (text.includes('eth_subscription')) for (const client of server.clients) client.send(text)
  })
  process.send?.((server.address() as { port: number }).port)
}

/** All clients, and beside them one at the node itself, whose time of hearing is where the delay begins. */
async function subscribe(url: string, node: string): Promise<void> {
  const heard = new Map<string, number[]>()
  const told = new Map<string, number>()
  const open = async (at: string, hear: (hash: string) => void) => {
    const socket = new WebSocket(at, { perMessageDeflate: false })
    await once(socket, 'open')
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    await once(socket, 'message')
    socket.on('message', (data: Buffer) => {
      const hash = /"hash":"(0x[0-9a-f]{64})"/.exec(data.toString('latin1', 0, 2_000))?.[1]
      if (hash) hear(hash)
    })
  }
  await open(node, (hash) => told.set(hash, performance.now()))
  for (let opened = 0; opened < subscribers; opened += 100) {
    await Promise.all(
      Array.from({ length: 100 }, () =>
        open(url, (hash) => {
          const times = heard.get(hash)
          if (times) times.push(performance.now())
          else heard.set(hash, [performance.now()])
        }),
      ),
    )
  }
  process.on('message', () => {
    const delays = [...heard].flatMap(([hash, times]) => {
      const start = told.get(hash)
      return start === undefined ? [] : times.map((time) => time - start)
    })
    delays.sort((a, b) => a - b)
    const at = (part: number) => delays[Math.floor(delays.length * part)] ?? 0
    process.send?.({ delivered: delays.length, p50: at(0.5), p99: at(0.99) })
    heard.clear()
    told.clear()
  })
  process.send?.('ready')
}

interface Measured {
  readonly delivered: number
  readonly p50: number
  readonly p99: number
  readonly cpuMs: number
  readonly memoryMb: number
}

async function measureBoth(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-benchmark-'))
  const devnet = await startDevnet({ dataDirectory: join(folder, 'chains') })
  const node = devnet.chains[0]?.url ?? ''
  const nodeSocket = node.replace('http', 'ws')
  const floor = run('floor', nodeSocket)
  const [port] = (await once(floor, 'message')) as [number]
  const { service, url } = await startService(folder, node, nodeSocket)
  const measured: Record<string, Measured[]> = { 'bare ws broadcast': [], service: [] }
  // The service holds a database besides, so only what the subscribers add is compared.
  const empty = { 'bare ws broadcast': memory(floor), service: memory(service) }
  for (let round = 0; round < rounds; round++) {
    for (const [name, process_, at] of [
      ['bare ws broadcast', floor, `ws://127.0.0.1:${port}`],
      ['service', service, url],
    ] as const) {
      const clients = run('clients', at, nodeSocket)
      await once(clients, 'message')
      // What the opening cost is not counted.
      await mine(node, 3)
      await sleep(1_000)
      await ask(clients)
      const before = cpuMs(process_)
      await mine(node, headsPerRound)
      await sleep(1_000)
      const spent = cpuMs(process_) - before
      const memoryMb = memory(process_) - empty[name]
      measured[name]?.push({ ...(await ask(clients)), cpuMs: spent / headsPerRound, memoryMb })
      clients.kill()
      await once(clients, 'exit')
    }
  }
  report(measured)
  floor.kill()
  service.kill('SIGTERM')
  await once(service, 'exit')
  await devnet.stop()
  await rm(folder, { recursive: true, force: true })
  process.exit(0)
}

function run(...words: string[]): ChildProcess {
  return fork(file, words, { execArgv: ['--conditions=@fairlead/source'] })
}

async function startService(folder: string, node: string, nodeSocket: string) {
  const bin = new URL('../packages/gateway/src/bin.ts', import.meta.url).pathname
  const service = spawn(process.execPath, ['--conditions=@fairlead/source', bin, 'serve'], {
    cwd: folder,
    env: {
      ...process.env,
      FAIRLEAD_PORT: '0',
      FAIRLEAD_LOG_LEVEL: 'error',
      FAIRLEAD_EVM_UPSTREAM: node,
      FAIRLEAD_EVM_WEBSOCKET_UPSTREAM: nodeSocket,
    },
  })
  let output = ''
  const [, url = '', token = ''] = await new Promise<RegExpExecArray>((ready) => {
    service.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const printed = /running at (\S+)[\s\S]*token +(\S+)\n/.exec(output)
      if (printed) ready(printed)
    })
  })
  return { service, url: `${url.replace('http', 'ws')}/ws/${token}` }
}

async function ask(clients: ChildProcess): Promise<Pick<Measured, 'delivered' | 'p50' | 'p99'>> {
  clients.send('report')
  const [answer] = (await once(clients, 'message')) as [Measured]
  return answer
}

async function mine(node: string, heads: number): Promise<void> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}'
  for (let head = 0; head < heads; head++) {
    await fetch(node, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await sleep(headMs)
  }
}

/** Milliseconds of processor time, of all threads. */
function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond
}

function memory({ pid }: ChildProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024
}

function report(measured: Record<string, Measured[]>): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  const of = (name: string, field: keyof Measured) =>
    median((measured[name] ?? []).map((each) => each[field]))
  console.log(
    `${subscribers} subscribers to new heads, medians of ${rounds} rounds of ${headsPerRound} heads`,
  )
  for (const name of Object.keys(measured)) {
    const cell = (field: keyof Measured, unit: string) =>
      `${field} ${of(name, field).toFixed(1)} ${unit} (x${(of(name, field) / of('bare ws broadcast', field)).toFixed(2)})`
    const cells = [cell('cpuMs', 'ms a head'), cell('memoryMb', 'MB'), cell('p50', 'ms'), cell('p99', 'ms')]
    console.log(`${name.padEnd(18)} delivered ${of(name, 'delivered')}  ${cells.join('  ')}`)
  }
}
