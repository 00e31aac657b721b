// One of two upstreams misbehaves under a steady load: how many calls of a client fail, and how long the others take.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { NodeOrder } from './fixtures/faulty-node.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { serve } from './fixtures/gateway-process.ts'
import { type CallReport, percentileOf, sendSteadily, type SteadyRequest } from './fixtures/steady-calls.ts'

/** An upstream in a separate process. */
interface FaultyNode {
  readonly url: string
  readonly process: ChildProcess
  order(order: NodeOrder): Promise<void>
  stop(): void
}

const responseMs = 4
const warmUpSeconds = 2
const preferredWeight = 20
const faultAfterMs = 1_000
// More than the smallest listen backlog that a system has.
const queuedConnections = 8

const faults: Readonly<Record<string, (node: FaultyNode) => Promise<void>>> = {
  none: async () => undefined,
  stopped: async (node) => void node.process.kill('SIGSTOP'),
  'stopped, not connected': async (node) => {
    await node.order('cut off')
    node.process.kill('SIGSTOP')
  },
  'hangs at connect': async (node) => {
    await node.order('accept no connections')
    node.process.kill('SIGSTOP')
    await fillQueue(node)
  },
  'half a body': (node) => node.order('half a body'),
  '50 times slower': (node) => node.order('50 times slower'),
  killed: async (node) => void node.process.kill('SIGKILL'),
  'every other 500': (node) => node.order('every other 500'),
  'stands still': (node) => node.order('stands still'),
}

/** The calls that are made with a protocol. */
interface CalledProtocol {
  /** Environment variable that names the upstreams. */
  readonly option: string
  /** The part between the URL of the gateway and the path of a call. */
  readonly base: (token: string) => string
  readonly requestOf: (number: number) => SteadyRequest
}

const protocols: Readonly<Record<string, CalledProtocol>> = {
  evm: {
    option: 'FAIRLEAD_EVM_UPSTREAM',
    base: (token) => `/${token}`,
    requestOf: (number) => ({ body: bodyOf(number) }),
  },
  beacon: {
    option: 'FAIRLEAD_BEACON_UPSTREAM',
    base: (token) => `/beacon/${token}`,
    requestOf: () => ({ path: '/eth/v1/beacon/states/head/root' }),
  },
  jetton: {
    option: 'FAIRLEAD_JETTON_UPSTREAM',
    base: (token) => `/${token}/api`,
    requestOf: () => ({ path: '/v2/getMasterchainInfo' }),
  },
}

const flags = readFlags(import.meta.filename, {
  protocol: { type: 'string', default: 'evm', description: `one of ${Object.keys(protocols).join(', ')}` },
  seconds: { type: 'string', default: '8', description: 'of each load; the fault begins after one' },
  rates: { type: 'string', default: '300,3000', description: 'calls in a second' },
  only: {
    type: 'string',
    default: Object.keys(faults).join(';'),
    description: 'some of these, with ; between them',
  },
  positions: {
    type: 'string',
    default: 'first,second,preferred',
    description: 'of the faulty one among the upstreams; the preferred one has 20 times the weight',
  },
})
const protocol = protocols[flags.protocol]
if (!protocol) throw new Error(`--protocol takes one of ${Object.keys(protocols).join(', ')}.`)
const { option, base, requestOf } = protocol
const seconds = Number(flags.seconds)
if (!(seconds > 1)) throw new Error('--seconds takes a number above one.')
const unknown = flags.only.split(';').filter((name) => !(name in faults))
if (unknown.length > 0) throw new Error(`There is no fault with the name ${unknown.join(', ')}.`)

console.log(`calls/s  ${'fault'.padEnd(24)}position   calls  errors   p50 ms   p99 ms  longest ms`)
for (const perSecond of flags.rates.split(',').map(Number)) {
  for (const name of flags.only.split(';')) {
    for (const position of flags.positions.split(',')) await measure(perSecond, name, position)
  }
}
process.exit(0)

async function measure(perSecond: number, name: string, position: string): Promise<void> {
  const nodes = await Promise.all([startNode(), startNode()])
  const faulty = nodes[position === 'second' ? 1 : 0]
  const gateway = await serve({
    [option]: nodes.map((node) => addressOf(node, position, faulty)).join(' '),
    FAIRLEAD_LOG_LEVEL: 'silent',
  })
  try {
    const load = {
      url: `${gateway.url}${base(gateway.token)}`,
      perSecond,
      requestOf,
    }
    await sendSteadily({ ...load, seconds: warmUpSeconds })
    const measured = sendSteadily({ ...load, seconds })
    await pause(faultAfterMs)
    await faults[name]?.(faulty)
    print(perSecond, name, position, await measured)
  } finally {
    for (const node of nodes) node.stop()
    await gateway.stop()
  }
}

function addressOf(node: FaultyNode, position: string, faulty: FaultyNode): string {
  return position === 'preferred' && node === faulty ? `${node.url}#weight=${preferredWeight}` : node.url
}

function print(perSecond: number, name: string, position: string, report: CallReport): void {
  const ms = (value: number, width: number) => value.toFixed(1).padStart(width)
  console.log(
    `${String(perSecond).padEnd(9)}${name.padEnd(24)}${position.padEnd(9)}${String(report.calls).padStart(7)}` +
      `${String(report.errors).padStart(8)}${ms(percentileOf(report, 0.5), 9)}${ms(percentileOf(report, 0.99), 9)}` +
      ms(percentileOf(report, 1), 12),
  )
  for (const example of report.examples) console.error(`  ${JSON.stringify(example)}`)
}

/** Two of three calls are lookups, the third executes code. No two calls are equal. */
function bodyOf(number: number): string {
  const address = `0x${(number + Math.floor(Math.random() * 2 ** 40)).toString(16).padStart(40, '0')}`
  return number % 3 === 0
    ? `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"${address}"},"latest"]}`
    : `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${address}","latest"]}`
}

async function startNode(): Promise<FaultyNode> {
  const child = fork(new URL('fixtures/faulty-node.ts', import.meta.url), [String(responseMs)])
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    order: async (order) => {
      const done = once(child, 'message')
      child.send(order)
      await done
    },
    stop: () => {
      process.off('exit', kill)
      kill()
    },
  }
}

/** Fills the listen backlog, so that the system drops later connections. */
async function fillQueue({ url }: FaultyNode): Promise<void> {
  const { hostname, port } = new URL(url)
  const connected = (socket: Socket) => new Promise((resolve) => socket.once('connect', resolve))
  const sockets = Array.from({ length: queuedConnections }, () => {
    const socket = connect({ host: hostname, port: Number(port) })
    return socket.on('error', () => undefined).unref()
  })
  await Promise.race([Promise.all(sockets.map(connected)), pause(200)])
}
