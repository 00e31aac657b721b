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

interface Seen {
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
const nodeUrl = `http://127.0.0.1:${await heard<number>(node)}`
const path = '/eth/v1/events?topics=head'
const service = await serve({ FAIRLEAD_LOG_LEVEL: 'error', FAIRLEAD_BEACON_UPSTREAM: nodeUrl })
const serviceUrl = `${service.url}/beacon/${service.token}${path}`
const floor = run('floor', `${nodeUrl}${path}`)
const floorUrl = `http://127.0.0.1:${await heard<number>(floor)}`
const contenders = [
  { name: 'bare broadcast', processId: floor.pid ?? 0, url: floorUrl },
  { name: 'service', processId: service.processId, url: serviceUrl },
] as const
const measured: Record<string, Measured[]> = {}
// The gateway also holds a database, so only the memory that the clients add is compared.
const empty = contenders.map(({ processId }) => memoryMb(processId))
for (let round = 0; round < rounds; round++) {
  for (const [index, { name, processId, url }] of contenders.entries()) {
    const clients = await subscribed(url)
    // The cost of opening the connections is not counted.
    await tell(node, 5)
    await sleep(1_000)
    await tell(clients, 'report')
    const before = cpuMs(processId)
    await tell(node, eventsPerRound)
    await sleep(1_000)
    const spent = cpuMs(processId) - before
    const added = memoryMb(processId) - (empty[index] ?? 0)
    const { delaysMs } = await tell<Seen>(clients, 'report')
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
floor.kill()
node.kill()
await service.stop()
process.exit(0)

/** Makes the node unavailable for a while for all clients of the gateway. */
async function restart(): Promise<void> {
  const clients = await subscribed(serviceUrl)
  await tell(node, 'down')
  await sleep(downMs)
  await tell(node, 'up')
  clients.send('up')
  await sleep(10_000)
  await tell(node, 1)
  await sleep(1_000)
  const { ended, returnedMs, delaysMs } = await tell<Seen>(clients, 'report')
  const sorted = returnedMs.toSorted((a, b) => a - b)
  console.log(
    `restart of the node: ${ended} clients saw the end, ${sorted.length} came back, half of them within ${part(sorted, 0.5).toFixed(0)} ms and the last ${(sorted.at(-1) ?? 0).toFixed(0)} ms after the node; ${delaysMs.length} heard the next event`,
  )
  clients.kill()
}

function run(...words: string[]): ChildProcess {
  return fork(new URL('fixtures/event-stream-peer.ts', import.meta.url), words)
}

async function subscribed(url: string): Promise<ChildProcess> {
  const clients = run('clients', url, String(subscribers))
  await heard(clients)
  return clients
}

async function heard<message>(child: ChildProcess): Promise<message> {
  const [message] = (await once(child, 'message')) as [message]
  return message
}

function tell<message>(child: ChildProcess, word: string | number): Promise<message> {
  child.send(word)
  return heard(child)
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
