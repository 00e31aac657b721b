// Calls that the gateway serves from its cache, compared with nginx that proxies the same calls to a node. Windows
// take turns. Ratios are to nginx in the same round.
import { spawn, spawnSync } from 'node:child_process'
import { readFlags } from './fixtures/read-flags.ts'
import { freePort } from './fixtures/free-port.ts'
import { started, startNginxProxy } from './fixtures/nginx.ts'
import { cpuMs, memoryMb } from './fixtures/process-cost.ts'
import { type ProxySample, proxyMeasures } from './fixtures/report/proxy-measures.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'
import { serve } from './fixtures/gateway-process.ts'
import { type ResponseSize, responseSizes, startSizedNode } from './fixtures/sized-node.ts'
import { load } from './fixtures/wrk.ts'

const flags = readFlags(import.meta.filename, {
  sizes: {
    type: 'string',
    default: '0.2,2',
    description: `kB of a response, of ${responseSizes.join(', ')}`,
  },
  connections: { type: 'string', default: '64', description: 'that call side by side' },
  ...reportFlags,
  seconds: { type: 'string', default: '3', description: 'length of a window' },
  'warm-up': {
    type: 'string',
    default: '20',
    description: 'seconds of load before the first window of each',
  },
})

// Before each window, because the others had theirs in between.
const leadInSeconds = 2

interface Contender {
  readonly name: string
  readonly url: string
  readonly processId: number
}

// Proxies have one processor to themselves. The load and the node share the other.
const onOtherProcessor = ['taskset', '-c', '1']
const onProxy = ['taskset', '-c', '0']
for (const program of ['wrk', 'nginx', 'taskset']) {
  if (spawnSync(program, ['-v']).error !== undefined) throw new Error(`${program} is needed.`)
}

const roles = { nginx: 'alternative', gateway: 'fairlead', 'gateway on node:http': 'variant' } as const
const report = await startReport(import.meta.filename, {
  flags,
  rounds: 5,
  software: { programs: ['nginx', 'wrk'] },
})
for (const size of flags.sizes.split(',').map(toSize)) await compare(size)
await report.finish()
process.exit(0)

function toSize(text: string): ResponseSize {
  const size = responseSizes.find((each) => each === text)
  if (size === undefined) throw new Error(`Responses have ${responseSizes.join(', ')} kB.`)
  return size
}

async function compare(size: ResponseSize): Promise<void> {
  const stops: (() => Promise<void>)[] = []
  try {
    const contenders = await startAll(size, stops)
    const samples = new Map<string, ProxySample[]>(contenders.map(({ name }) => [name, []]))
    for (const contender of contenders) await measure(contender, size, Number(flags['warm-up']))
    for (let round = 0; round < report.rounds; round += 1) {
      for (const contender of contenders) {
        await measure(contender, size, leadInSeconds)
        samples.get(contender.name)?.push(await measure(contender, size, Number(flags.seconds)))
      }
    }
    const title = `${flags.connections} connections, responses of ${size} kB`
    const errors = [...samples.values()].flat().reduce((sum, sample) => sum + sample.errors, 0)
    report.add({ title, roles, measures: proxyMeasures(samples, 'nginx'), errors })
  } finally {
    for (const stop of stops.toReversed()) await stop()
  }
}

async function startAll(size: ResponseSize, stops: (() => Promise<void>)[]): Promise<readonly Contender[]> {
  const tracked = <stoppable extends { stop(): Promise<void> }>(running: stoppable): stoppable => {
    stops.push(running.stop)
    return running
  }
  const node = tracked(await startSizedNode(onOtherProcessor))
  const nginx = tracked(await startNginxProxy(onProxy, node.url))
  const port = await freePort()
  const file = new URL('fixtures/cacheable-node.ts', import.meta.url).pathname
  const args = [...onOtherProcessor.slice(1), process.execPath, file, String(port), size]
  const cacheableNode = tracked(await started(spawn('taskset', args, { stdio: 'inherit' }), port))
  const contenders = [{ name: 'nginx', url: `${nginx.url}/${size}`, processId: nginx.processId }]
  for (const [name, usesBuiltinServer] of [
    ['gateway', 'true'],
    ['gateway on node:http', 'false'],
  ] as const) {
    const gateway = tracked(
      await serve({
        FAIRLEAD_EVM_UPSTREAM: cacheableNode.url,
        FAIRLEAD_BUILTIN_HTTP_SERVER: usesBuiltinServer,
        FAIRLEAD_PROBE_NODES: 'false',
      }),
    )
    spawnSync('taskset', ['-a', '-c', '-p', '0', String(gateway.processId)])
    const url = `${gateway.url}/${gateway.token}`
    contenders.push({ name, url, processId: gateway.processId })
  }
  return contenders
}

async function measure(
  { url, processId }: Contender,
  size: ResponseSize,
  seconds: number,
): Promise<ProxySample> {
  const used = cpuMs(processId)
  const connections = Number(flags.connections)
  const calls = { method: 'eth_getBalance', block: '0x64', calls: 1 }
  const result = await load({ ...calls, command: onOtherProcessor, url, connections, seconds })
  return {
    ...result,
    cpuUs: ((cpuMs(processId) - used) * 1_000) / Math.max(result.requests, 1),
    memoryMb: memoryMb(processId),
  }
}
