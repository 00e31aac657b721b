// One tenant alone, then during each attack by another tenant on the same upstream: the effect on the calls of the
// first tenant.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { readFlags } from './fixtures/read-flags.ts'
import { serve } from './fixtures/gateway-process.ts'
import { type CallReport, percentileOf, sendSteadily, type SteadyRequest } from './fixtures/steady-calls.ts'

/** What one tenant does, and how the other tenant is measured meanwhile. */
interface Scenario {
  readonly name: string
  /** A call of the measured tenant. */
  requestOf(number: number, token: string): SteadyRequest
  /** Starts the attack. Everything it opens is closed with the sockets. */
  attack(
    gateway: { readonly url: string; readonly token: string },
    sockets: Set<Closable>,
  ): void | Promise<void>
}

interface Closable {
  destroy(): void
}

const longCalls = 900
const revertsPerSecond = 5
const unreadResponses = 300
const subscribedSockets = 16
const subscriptionsPerSocket = 250
const perSecond = 100
// In the first second, 300 unread responses fill the operating system buffers: 540 MB that are copied once.
const beginMs = 5_000
// The embedded database makes its first checkpoint 30 s after startup, which occupies the process.
const warmUpSeconds = 35

// The account address selects how the node responds. Equal calls of two tenants would be coalesced.
const addresses = { quick: '12', slow: '5e', revert: 'ee' }
const shortCall = (number: number, token: string) => ({ path: `/${token}`, body: callBody(number, 'quick') })

const scenarios: readonly Scenario[] = [
  {
    name: 'slow eth_calls',
    requestOf: shortCall,
    attack: ({ url, token }, sockets) => {
      for (let count = 0; count < longCalls; count += 1)
        post(`${url}/${token}`, callBody(count, 'slow'), sockets)
    },
  },
  {
    name: 'reverts that name a rate limit',
    requestOf: shortCall,
    attack: ({ url, token }, sockets) => {
      const revert = () => post(`${url}/${token}`, callBody(0, 'revert'), sockets)
      const timer = setInterval(revert, 1_000 / revertsPerSecond)
      sockets.add({ destroy: () => clearInterval(timer) })
    },
  },
  {
    name: 'log subscriptions',
    requestOf: shortCall,
    attack: async ({ url, token }, sockets) => {
      const address = `${url.replace('http', 'ws')}/ws/${token}`
      await Promise.all(Array.from({ length: subscribedSockets }, (_, at) => subscribe(address, at, sockets)))
    },
  },
  {
    name: 'unread beacon responses',
    requestOf: (number, token) => ({ path: `/beacon/${token}/eth/v1/beacon/blocks/${number}/root` }),
    attack: ({ url, token }, sockets) => {
      const { host } = new URL(url)
      for (let slot = 0; slot < unreadResponses; slot += 1) {
        const path = `/beacon/${token}/eth/v1/beacon/states/${slot}/validators`
        opened(url, sockets).pause().write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
      }
    },
  },
]

const flags = readFlags(import.meta.filename, {
  seconds: { type: 'string', default: '8', description: 'of each measurement' },
  only: {
    type: 'string',
    default: scenarios.map(({ name }) => name).join(';'),
    description: 'some of these, with ; between them',
  },
})
const seconds = Number(flags.seconds)

console.log(`${'attack'.padEnd(32)}errors  p50 alone  attack  p99 alone  attack  ratio`)
for (const name of flags.only.split(';')) {
  const scenario = scenarios.find((candidate) => candidate.name === name)
  if (!scenario) throw new Error(`There is no attack with the name ${name}.`)
  await measure(scenario)
}
process.exit(0)

async function measure({ name, requestOf, attack }: Scenario): Promise<void> {
  const nodes = await Promise.all([startNode(), startNode()])
  const upstreams = nodes.map(({ url }) => url).join(' ')
  const gateway = await serve({
    FAIRLEAD_EVM_UPSTREAM: upstreams,
    FAIRLEAD_BEACON_UPSTREAM: upstreams,
    FAIRLEAD_LOG_LEVEL: 'silent',
  })
  const sockets = new Set<Closable>()
  try {
    const otherToken = await secondToken(gateway.url, gateway.apiKey)
    const measured = (duration: number) =>
      sendSteadily({
        url: gateway.url,
        perSecond,
        seconds: duration,
        requestOf: (number) => requestOf(number, gateway.token),
      })
    await measured(warmUpSeconds)
    const baseline = await measured(seconds)
    await attack({ url: gateway.url, token: otherToken }, sockets)
    await pause(beginMs)
    print(name, baseline, await measured(seconds))
  } finally {
    for (const socket of sockets) socket.destroy()
    for (const { stop } of nodes) stop()
    await gateway.stop()
  }
}

function print(name: string, baseline: CallReport, duringLoad: CallReport): void {
  const ms = (value: number, width: number) => value.toFixed(1).padStart(width)
  const [p99, p99DuringLoad] = [percentileOf(baseline, 0.99), percentileOf(duringLoad, 0.99)]
  console.log(
    `${name.padEnd(32)}${String(duringLoad.errors).padStart(6)}${ms(percentileOf(baseline, 0.5), 11)}` +
      `${ms(percentileOf(duringLoad, 0.5), 8)}${ms(p99, 11)}${ms(p99DuringLoad, 8)}${(p99DuringLoad / p99).toFixed(2).padStart(7)}`,
  )
  for (const example of duringLoad.examples) console.error(`  ${JSON.stringify(example)}`)
}

function callBody(number: number, kind: keyof typeof addresses): string {
  const data = `0x${number.toString(16).padStart(8, '0')}`
  const call = { to: `0x${addresses[kind].repeat(20)}`, data }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [call, 'latest'] })
}

function opened(url: string, sockets: Set<Closable>): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  sockets.add(socket)
  return socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
}

function post(url: string, body: string, sockets: Set<Closable>): void {
  const { pathname, host } = new URL(url)
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-type: application/json`
  opened(url, sockets).resume().write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
}

/** Subscribes to logs of all addresses, with different topics each time. */
async function subscribe(url: string, at: number, sockets: Set<Closable>): Promise<void> {
  const socket = new WebSocket(url)
  sockets.add({ destroy: () => socket.terminate() })
  await once(socket, 'open')
  for (let id = 0; id < subscriptionsPerSocket; id += 1) {
    const topics = [`0x${(at * subscriptionsPerSocket + id).toString(16).padStart(64, '0')}`]
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params: ['logs', { topics }] }))
  }
}

/** Creates a second credential for the node. */
async function secondToken(url: string, apiKey: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const page = (await (await fetch(`${url}/v2/nodes/`, { headers })).json()) as { results: { id: string }[] }
  const path = `${url}/v2/nodes/${page.results[0]?.id}/credentials/`
  const created = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ kind: 'token' }) })
  const text = await created.text()
  const { token } = JSON.parse(text) as { token?: string }
  if (token === undefined) throw new Error(`There is no second credential: ${created.status}.`)
  return token
}

async function startNode(): Promise<{ readonly url: string; stop(): void }> {
  const child = fork(new URL('fixtures/shared-node.ts', import.meta.url))
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const [port] = (await once(child, 'message')) as [number]
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      process.off('exit', kill)
      kill()
    },
  }
}
