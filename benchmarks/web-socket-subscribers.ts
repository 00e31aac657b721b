// Many subscribers to the heads of one node: CPU, memory and delay of the gateway, as ratios to a bare broadcast server
// on `ws` that forwards every head to its clients without parsing it. Both are measured in turns within one run,
// because machines are noisy.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMs, memoryMb } from './fixtures/process-cost.ts'
import { startGatewayOnDevnet } from './fixtures/gateway-process.ts'

const subscribers = Number(process.env['SUBSCRIBERS'] ?? 5_000)
const rounds = 3
const headsPerRound = 20
const headMs = 400

interface Measured {
  readonly delivered: number
  readonly p50: number
  readonly p99: number
  readonly cpuMs: number
  readonly memoryMb: number
}

const gateway = await startGatewayOnDevnet({ FAIRLEAD_LOG_LEVEL: 'error' })
const nodeSocket = gateway.node.replace('http', 'ws')
const broadcaster = run('broadcast', nodeSocket)
const [port] = (await once(broadcaster, 'message')) as [number]
const contenders = [
  { name: 'bare ws broadcast', processId: broadcaster.pid ?? 0, url: `ws://127.0.0.1:${port}` },
  {
    name: 'gateway',
    processId: gateway.processId,
    url: `${gateway.url.replace('http', 'ws')}/ws/${gateway.token}`,
  },
] as const
const measured: Record<string, Measured[]> = {}
// The gateway also holds a database, so only the memory that the subscribers add is compared.
const empty = contenders.map(({ processId }) => memoryMb(processId))
for (let round = 0; round < rounds; round++) {
  for (const [index, { name, processId, url }] of contenders.entries()) {
    const clients = run('clients', url, nodeSocket, String(subscribers))
    await once(clients, 'message')
    // The cost of opening the connections is not counted.
    await mineBlocks(gateway.node, 3)
    await sleep(1_000)
    await requestResult(clients)
    const before = cpuMs(processId)
    await mineBlocks(gateway.node, headsPerRound)
    await sleep(1_000)
    const spent = cpuMs(processId) - before
    const added = memoryMb(processId) - (empty[index] ?? 0)
    const sample = { ...(await requestResult(clients)), cpuMs: spent / headsPerRound, memoryMb: added }
    ;(measured[name] ??= []).push(sample)
    clients.kill()
    await once(clients, 'exit')
  }
}
report(measured)
broadcaster.kill()
await gateway.stop()
process.exit(0)

function run(...args: string[]): ChildProcess {
  return fork(new URL('fixtures/web-socket-peer.ts', import.meta.url), args, {
    execArgv: ['--conditions=@fairlead/source'],
  })
}

async function requestResult(clients: ChildProcess): Promise<Pick<Measured, 'delivered' | 'p50' | 'p99'>> {
  clients.send('report')
  const [result] = (await once(clients, 'message')) as [Measured]
  return result
}

async function mineBlocks(node: string, heads: number): Promise<void> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}'
  for (let head = 0; head < heads; head++) {
    await fetch(node, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await sleep(headMs)
  }
}

function report(samples: Record<string, Measured[]>): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
  const of = (name: string, field: keyof Measured) => median((samples[name] ?? []).map((each) => each[field]))
  console.log(
    `${subscribers} subscribers to new heads, medians of ${rounds} rounds of ${headsPerRound} heads`,
  )
  for (const name of Object.keys(samples)) {
    const cell = (field: keyof Measured, unit: string) =>
      `${field} ${of(name, field).toFixed(1)} ${unit} (x${(of(name, field) / of('bare ws broadcast', field)).toFixed(2)})`
    const cells = [cell('cpuMs', 'ms a head'), cell('memoryMb', 'MB'), cell('p50', 'ms'), cell('p99', 'ms')]
    console.log(`${name.padEnd(18)} delivered ${of(name, 'delivered')}  ${cells.join('  ')}`)
  }
}
