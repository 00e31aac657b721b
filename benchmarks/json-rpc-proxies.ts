// What can stand between clients and a node: nothing, nginx, two proxies of the Node.js ecosystem, and the gateway with
// all its stages enabled, behind node:http and behind its built-in HTTP/1.1 server. Windows take turns. Ratios are to
// nginx within one run.
import { spawn, spawnSync } from 'node:child_process'
import { readFlags } from './fixtures/read-flags.ts'
import { freePort } from './fixtures/free-port.ts'
import { type RunningServer, started, startNginxProxy } from './fixtures/nginx.ts'
import { cpuMs, memoryMb } from './fixtures/process-cost.ts'
import type { Role } from './fixtures/report/comparison.ts'
import { type ProxySample, proxyMeasures } from './fixtures/report/proxy-measures.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'
import { serve } from './fixtures/gateway-process.ts'
import { type ResponseSize, responseSizes, startSizedNode } from './fixtures/sized-node.ts'
import { load } from './fixtures/wrk.ts'

// Long enough for Node.js to compile the code of the proxy and of the node: on one processor the gateway becomes faster
// for most of a minute.
const warmUpSeconds = 40
// During the windows of the others, V8 shrinks its heap and discards compiled code. Both recover quickly.
const leadInSeconds = 3
const twoUpstreams = 'gateway, two upstreams'
const onNodeHttp = 'gateway on node:http'
const roles: Readonly<Record<string, Role>> = {
  direct: 'reference',
  nginx: 'alternative',
  'fastify, reply-from': 'alternative',
  'http-proxy-3': 'alternative',
  gateway: 'fairlead',
  [twoUpstreams]: 'variant',
  [onNodeHttp]: 'variant',
}
const sampleNames = Object.keys(roles)

const allScenarios = '64x0.2,1x0.2,256x0.2,64x64,64x0.2x10'

const flags = readFlags(import.meta.filename, {
  quick: { type: 'boolean', default: false, description: 'only 64 connections and responses of 0.2 kB' },
  only: { type: 'string', description: `some of ${sampleNames.join(';')}` },
  scenarios: {
    type: 'string',
    description: `connections x kB of a response, and x calls of a batch; without it ${allScenarios}`,
  },
  ...reportFlags,
  seconds: { type: 'string', default: '1', description: 'length of a window' },
  method: { type: 'string', default: 'eth_getBalance', description: 'that is called' },
  'no-pin': { type: 'boolean', default: false, description: 'lets all run on all processors' },
})

/** One kind of load. */
interface Scenario {
  readonly connections: number
  readonly size: ResponseSize
  readonly calls: number
}

interface Contender {
  readonly processId: number
  url(scenario: Scenario): string
}

const scenarios = (flags.scenarios ?? (flags.quick ? '64x0.2' : allScenarios)).split(',').map(toScenario)
const names = flags.only?.split(';') ?? sampleNames

const has = (program: string, ...args: readonly string[]) => spawnSync(program, args).error === undefined
if (!has('wrk', '-v')) throw new Error('wrk is needed: it makes the load.')
const hasNginx = has('nginx', '-v')
const pins = !flags['no-pin'] && has('taskset', '-V')
// Proxies have one processor to themselves. The load and the node share the other.
const onOtherProcessor = pins ? ['taskset', '-c', '1'] : []
const onProxy = pins ? ['taskset', '-c', '0'] : []

const report = await startReport(import.meta.filename, {
  flags,
  rounds: 3,
  software: {
    programs: hasNginx ? ['nginx', 'wrk'] : ['wrk'],
    packages: ['fastify', '@fastify/reply-from', 'http-proxy-3'],
  },
})
const stops: (() => Promise<void>)[] = []
const node = await tracked(startSizedNode(onOtherProcessor))
if (!hasNginx) console.log('nginx is missing: ratios are to no proxy at all')
const contenders = new Map<string, Contender>()
const warm = new Set<number>()
for (const name of names) contenders.set(name, await start(name))
const baseline = hasNginx && names.includes('nginx') ? 'nginx' : 'direct'

for (const scenario of scenarios) await compare(scenario)
await report.finish()
for (const stop of stops.toReversed()) await stop()
process.exit(0)

function toScenario(text: string): Scenario {
  const [connections = '64', size = '0.2', calls = '1'] = text.split('x')
  const candidate = responseSizes.find((each) => each === size)
  if (candidate === undefined) throw new Error(`Responses have ${responseSizes.join(', ')} kB.`)
  return { connections: Number(connections), size: candidate, calls: Number(calls) }
}

async function start(name: string): Promise<Contender> {
  const direct =
    (base: string) =>
    ({ size }: Scenario) =>
      `${base}/${size}`
  switch (name) {
    case 'direct':
      return { processId: node.processId, url: direct(node.url) }
    case 'nginx': {
      const proxy = await tracked(startNginxProxy(onProxy, node.url))
      return { processId: proxy.processId, url: direct(proxy.url) }
    }
    case 'fastify, reply-from':
    case 'http-proxy-3': {
      const proxy = await tracked(startProxy(name.split(',')[0] ?? name))
      return { processId: proxy.processId, url: direct(proxy.url) }
    }
    case 'gateway':
    case onNodeHttp:
    case twoUpstreams:
      return startGateways(name)
    default:
      throw new Error(`${name} is none of ${sampleNames.join('; ')}.`)
  }
}

/**
 * A gateway sends calls to one upstream URL, so there is one gateway for each response size. Those without load are
 * idle.
 */
async function startGateways(name: string): Promise<Contender> {
  const sizes = [...new Set(scenarios.map(({ size }) => size))]
  const gateways = new Map<ResponseSize, Awaited<ReturnType<typeof serve>>>()
  for (const size of sizes) {
    const address = `${node.url}/${size}`
    const gateway = await serve({
      FAIRLEAD_EVM_UPSTREAM: name === twoUpstreams ? `${address} ${address}?second` : address,
      FAIRLEAD_BUILTIN_HTTP_SERVER: name === onNodeHttp ? 'false' : 'true',
      FAIRLEAD_PROBE_NODES: 'false',
    })
    stops.push(gateway.stop)
    if (pins) spawnSync('taskset', ['-a', '-c', '-p', '0', String(gateway.processId)])
    gateways.set(size, gateway)
  }
  let lastProcessId = 0
  return {
    get processId() {
      return lastProcessId
    },
    url: ({ size }) => {
      const { url = '', token = '', processId = 0 } = gateways.get(size) ?? {}
      lastProcessId = processId
      return `${url}/${token}`
    },
  }
}

async function startProxy(kind: string): Promise<RunningServer> {
  const port = await freePort()
  const file = new URL('fixtures/proxy-process.ts', import.meta.url).pathname
  const [program, ...args] = [...onProxy, process.execPath, file, kind, String(port), node.url]
  return started(spawn(program, args, { stdio: 'inherit' }), port)
}

async function tracked(server: Promise<RunningServer>): Promise<RunningServer> {
  const running = await server
  stops.push(running.stop)
  return running
}

async function compare(scenario: Scenario): Promise<void> {
  const samples = new Map<string, ProxySample[]>(names.map((name) => [name, []]))
  for (let round = 0; round < report.rounds; round++) {
    for (const [name, contender] of contenders) {
      await warmUp(contender, scenario)
      samples.get(name)?.push(await measure(contender, scenario, Number(flags.seconds)))
    }
  }
  const { connections, size, calls } = scenario
  const title = `${connections} ${connections === 1 ? 'connection' : 'connections'}, responses of ${size} kB${calls > 1 ? `, batches of ${calls}` : ''}`
  const errors = [...samples.values()].flat().reduce((sum, sample) => sum + sample.errors, 0)
  const present = Object.fromEntries(names.map((name) => [name, roles[name] ?? 'reference'] as const))
  report.add({ title, roles: present, measures: proxyMeasures(samples, baseline), errors })
}

async function warmUp(contender: Contender, scenario: Scenario): Promise<void> {
  const url = contender.url(scenario)
  const seconds = warm.has(contender.processId) ? leadInSeconds : warmUpSeconds
  warm.add(contender.processId)
  await load({ ...scenario, command: onOtherProcessor, url, seconds, method: flags.method })
}

async function measure(contender: Contender, scenario: Scenario, seconds: number): Promise<ProxySample> {
  const url = contender.url(scenario)
  const { processId } = contender
  const used = cpuMs(processId)
  const result = await load({ ...scenario, command: onOtherProcessor, url, seconds, method: flags.method })
  return {
    ...result,
    cpuUs: ((cpuMs(processId) - used) * 1_000) / Math.max(result.requests, 1),
    memoryMb: memoryMb(processId),
  }
}
