// Minutes of account updates through the gateway to a client: memory of both after a collection, every half minute, and
// its growth rate. `-- grpc-memory --minutes 2 --rate 5000` sets the duration and the number of updates per second.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readFlags } from './fixtures/read-flags.ts'
import { listen, startClient } from './fixtures/grpc-run.ts'
import { printTable } from './fixtures/report/print-comparison.ts'
import { memoryMb } from './fixtures/process-cost.ts'
import { serve } from './fixtures/gateway-process.ts'

interface Memory {
  readonly residentMb: number
  /** Memory in use by the program: objects and buffers. */
  readonly heldMb: number
}

const values = readFlags(import.meta.filename, {
  minutes: { type: 'string', default: '10', description: 'of updates' },
  rate: { type: 'string', default: '10000', description: 'updates in a second' },
  every: { type: 'string', default: '30', description: 'seconds from one look at the memory to the next' },
})
const minutes = Number(values.minutes)
const every = Number(values.every)
const subscription = '@fairlead/grpc/solana'

// Before any process starts, so that all processes can be triggered to collect.
const folder = await mkdtemp(join(tmpdir(), 'fairlead-benchmark-'))
process.env['MEMORY_FOLDER'] = folder
process.env['NODE_OPTIONS'] = `--import ${new URL('fixtures/collect-on-signal.mjs', import.meta.url).href}`
const node = await listen('grpc-node.ts')
const gateway = await serve({ FAIRLEAD_LOG_LEVEL: 'error', FAIRLEAD_GRPC_UPSTREAM: node.url })
const client = await startClient(subscription, gateway.url, gateway.xToken)
const processIds = { gateway: gateway.processId, client: client.processId }

console.log(`${values.rate} updates/s for ${minutes} min to ${subscription}; MB after a collection`)
const done = client.measure(
  { pace: values.rate, warmUpMs: 0, runMs: minutes * 60_000 },
  Object.values(processIds),
)
const names = ['gateway', 'client'] as const
const samples: { readonly minute: number; readonly memory: Readonly<Record<string, Memory>> }[] = []
for (let second = 0; second <= minutes * 60; second += every) {
  await sleep(second === 0 ? 5_000 : every * 1_000 - 1_000)
  for (const id of Object.values(processIds)) process.kill(id, 'SIGUSR2')
  await sleep(1_000)
  const memory = { gateway: await memoryOf(processIds.gateway), client: await memoryOf(processIds.client) }
  samples.push({ minute: second / 60, memory })
  const cells = names.map((name) => {
    const { residentMb, heldMb } = memory[name]
    return `${name} ${residentMb.toFixed(1).padStart(6)} resident ${heldMb.toFixed(1).padStart(6)} held`
  })
  console.log(`  ${(second / 60).toFixed(1).padStart(5)} min  ${cells.join('   ')}`)
}
const { count, cpuUs, processUs } = await done
console.log(
  `${Math.round(count).toLocaleString('en-US')} updates, client ${(cpuUs / count).toFixed(1)} us each, gateway ${((processUs[0] ?? 0) / count).toFixed(1)} us each`,
)
// After the first quarter, a process has allocated what it needs to run at all.
const settled = samples.slice(Math.floor(samples.length / 4))
printTable([
  ['process', 'resident, most', 'MB a minute', 'held, most', 'MB a minute'],
  ...names.map((name) => [
    name,
    ...(['residentMb', 'heldMb'] as const).flatMap((field) => {
      const points = settled.map(({ minute, memory }) => [minute, memory[name]?.[field] ?? 0] as const)
      return [Math.max(...points.map(([, value]) => value)).toFixed(1), slope(points).toFixed(2)]
    }),
  ]),
])
client.stop()
await gateway.stop()
node.stop()
await rm(folder, { recursive: true, force: true })

async function memoryOf(processId: number): Promise<Memory> {
  const text = await readFile(join(folder, String(processId)), 'utf8')
  const { heapUsed, arrayBuffers } = JSON.parse(text) as NodeJS.MemoryUsage
  return { residentMb: memoryMb(processId), heldMb: (heapUsed + arrayBuffers) / 1_048_576 }
}

/** Least-squares slope. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length
  const rise = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0)
  return rise / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0)
}
