// Many clients of one beacon event stream: CPU, memory and delay of the gateway, as ratios to a bare broadcast server
// on `node:http` that forwards every byte to its clients without parsing it. Both are measured in turns within one run,
// because machines are noisy. Then the node restarts, and the clients of the gateway have to reconnect.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMs, memoryMb } from './fixtures/process-cost.ts'
import { serve } from './fixtures/gateway-process.ts'

const subscribers = Number(process.env['SUBSCRIBERS'] ?? 1_000)
const rounds = 3
const eventsPerRound = 100
const downMs = 2_000

interface Received {
  readonly delaysMs: readonly number[]
  readonly ended: number
  readonly returnedMs: readonly number[]
}

interface Measured {
  readonly delivered: number
  readonly p50: number
  readonly p99: number
  readonly cpuMs: number
  readonly memoryMb: number
}

const node = run('node')
const nodeUrl = `http://127.0.0.1:${await nextMessage<number>(node)}`
const path = '/eth/v1/events?topics=head'
const gateway = await serve({ FAIRLEAD_LOG_LEVEL: 'error', FAIRLEAD_BEACON_UPSTREAM: nodeUrl })
const gatewayUrl = `${gateway.url}/beacon/${gateway.token}${path}`
const broadcaster = run('broadcast', `${nodeUrl}${path}`)
const broadcasterUrl = `http://127.0.0.1:${await nextMessage<number>(broadcaster)}`
const contenders = [
  { name: 'bare broadcast', processId: broadcaster.pid ?? 0, url: broadcasterUrl },
  { name: 'gateway', processId: gateway.processId, url: gatewayUrl },
] as const
const measured: Record<string, Measured[]> = {}
// The gateway also holds a database, so only the memory that the clients add is compared.
const empty = contenders.map(({ processId }) => memoryMb(processId))
for (let round = 0; round < rounds; round++) {
  for (const [index, { name, processId, url }] of contenders.entries()) {
    const clients = await subscribed(url)
    // The cost of opening the connections is not counted.
    await sendCommand(node, 5)
    await sleep(1_000)
    await sendCommand(clients, 'report')
    const before = cpuMs(processId)
    await sendCommand(node, eventsPerRound)
    await sleep(1_000)
    const spent = cpuMs(processId) - before
    const added = memoryMb(processId) - (empty[index] ?? 0)
    const { delaysMs } = await sendCommand<Received>(clients, 'report')
    const sorted = delaysMs.toSorted((a, b) => a - b)
    ;(measured[name] ??= []).push({
      delivered: sorted.length / eventsPerRound,
      p50: part(sorted, 0.5),
      p99: part(sorted, 0.99),
      cpuMs: spent / eventsPerRound,
      memoryMb: added,
    })
    clients.kill()
    await once(clients, 'exit')
  }
}
report(measured)
await restart()
broadcaster.kill()
node.kill()
await gateway.stop()
process.exit(0)

/** Makes the node unavailable for a while for all clients of the gateway. */
async function restart(): Promise<void> {
  const clients = await subscribed(gatewayUrl)
  await sendCommand(node, 'down')
  await sleep(downMs)
  await sendCommand(node, 'up')
  clients.send('up')
  await sleep(10_000)
  await sendCommand(node, 1)
  await sleep(1_000)
  const { ended, returnedMs, delaysMs } = await sendCommand<Received>(clients, 'report')
  const sorted = returnedMs.toSorted((a, b) => a - b)
  console.log(
    `restart of the node: ${ended} clients saw the end, ${sorted.length} came back, half of them within ${part(sorted, 0.5).toFixed(0)} ms and the last ${(sorted.at(-1) ?? 0).toFixed(0)} ms after the node; ${delaysMs.length} heard the next event`,
  )
  clients.kill()
}

function run(...args: string[]): ChildProcess {
  return fork(new URL('fixtures/event-stream-peer.ts', import.meta.url), args)
}

async function subscribed(url: string): Promise<ChildProcess> {
  const clients = run('clients', url, String(subscribers))
  await nextMessage(clients)
  return clients
}

async function nextMessage<message>(child: ChildProcess): Promise<message> {
  const [message] = (await once(child, 'message')) as [message]
  return message
}

function sendCommand<message>(child: ChildProcess, command: string | number): Promise<message> {
  child.send(command)
  return nextMessage(child)
}

function part(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(sorted.length * share)] ?? 0
}

function report(samples: Record<string, Measured[]>): void {
  const of = (name: string, field: keyof Measured) =>
    part(
      (samples[name] ?? []).map((each) => each[field]).toSorted((a, b) => a - b),
      0.5,
    )
  console.log(
    `${subscribers} clients of one stream of heads, medians of ${rounds} rounds of ${eventsPerRound} events`,
  )
  for (const name of Object.keys(samples)) {
    const cell = (field: keyof Measured, unit: string) =>
      `${field} ${of(name, field).toFixed(2)} ${unit} (x${(of(name, field) / of('bare broadcast', field)).toFixed(2)})`
    const cells = [cell('cpuMs', 'ms an event'), cell('memoryMb', 'MB'), cell('p50', 'ms'), cell('p99', 'ms')]
    console.log(`${name.padEnd(15)} reached ${of(name, 'delivered')}  ${cells.join('  ')}`)
  }
}
