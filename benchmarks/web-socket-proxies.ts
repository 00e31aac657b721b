// JSON-RPC calls over WebSockets: directly to a node, through nginx, and through the gateway with all its stages
// enabled, which sends requests to the node over HTTP. Windows take turns. Ratios are to nginx in the same round.
import { spawnSync } from 'node:child_process'
import { serveLimited } from './fixtures/limited-gateway.ts'
import { startNginxWebSocketProxy } from './fixtures/nginx.ts'
import { readFlags } from './fixtures/read-flags.ts'
import { measuresOf, type Role } from './fixtures/report/comparison.ts'
import { loadMeasures } from './fixtures/report/proxy-measures.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'
import type { LoadResult } from './fixtures/web-socket-load.ts'
import { loadWebSockets, startWebSocketNode, type WebSocketNode } from './fixtures/web-socket-run.ts'

const roles: Readonly<Record<string, Role>> = {
  direct: 'reference',
  nginx: 'alternative',
  gateway: 'fairlead',
}
const contenderNames = Object.keys(roles)
const allScenarios = '1x1,16x1,64x1,1x16,16x16,64x16'
const flags = readFlags(import.meta.filename, {
  seconds: { type: 'string', default: '2', description: 'length of a window' },
  ...reportFlags,
  'warm-up': {
    type: 'string',
    default: '2',
    description:
      'seconds before each window, which are not counted; the first one of each contender takes 20',
  },
  only: { type: 'string', default: contenderNames.join(','), description: 'some of these' },
  scenarios: { type: 'string', default: allScenarios, description: 'connections x calls in flight on each' },
  profile: { type: 'string', description: 'folder that a CPU profile of the gateway is written to' },
  'no-pin': { type: 'boolean', default: false, description: 'lets all run on all processors' },
})

/** One kind of load. */
interface Scenario {
  readonly connections: number
  /** In flight on each connection. */
  readonly calls: number
}

interface Contender {
  readonly name: string
  readonly url: string
  /** Undefined without a proxy. */
  readonly processId: number | undefined
}

interface Sample extends LoadResult {
  /** CPU time of the proxy per call, in microseconds. */
  readonly proxyUs: number
  /** CPU time of the node per call, in microseconds. */
  readonly nodeUs: number
}

const has = (program: string, ...args: readonly string[]) => spawnSync(program, args).error === undefined
const pins = !flags['no-pin'] && has('taskset', '-V')
// Proxies have one processor to themselves. The load and the node share the other.
const onOtherProcessor = pins ? ['taskset', '-c', '1'] : []
const onProxy = pins ? ['taskset', '-c', '0'] : []

const report = await startReport(import.meta.filename, {
  flags,
  rounds: 3,
  software: { programs: ['nginx'], packages: ['ws'] },
})
const stops: (() => Promise<void>)[] = []
const warm = new Set<string>()
let stopping: Promise<void> | undefined

process.once('SIGINT', () => void stopAll().finally(() => process.exit(130)))
process.once('SIGTERM', () => void stopAll().finally(() => process.exit(143)))
try {
  await compareAll()
} finally {
  await stopAll()
}
process.exit(0)

async function compareAll(): Promise<void> {
  const names = listed(flags.only, contenderNames)
  const scenarios = flags.scenarios.split(',').map(toScenario)
  if (names.includes('nginx') && !has('nginx', '-v')) throw new Error('nginx is needed: ratios are to it.')
  const node = await startWebSocketNode(onOtherProcessor)
  stops.push(node.stop)
  const contenders: Contender[] = []
  for (const name of names) contenders.push(await start(name, node))
  for (const scenario of scenarios) add(scenario, await compare(scenario, contenders, node.processId))
  await report.finish()
}

function listed(text: string, valid: readonly string[]): readonly string[] {
  const names = text.split(',')
  const unknown = names.find((name) => !valid.includes(name))
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${valid.join(', ')}.`)
  return names
}

function toScenario(text: string): Scenario {
  const [connections = 0, calls = 0] = text.split('x').map(Number)
  if (!(connections > 0 && calls > 0)) throw new Error(`${text} is not connections x calls, such as 16x16.`)
  return { connections, calls }
}

async function start(name: string, node: WebSocketNode): Promise<Contender> {
  console.error(`starting ${name}`)
  if (name === 'direct') return { name, url: node.webSocket, processId: undefined }
  if (name === 'nginx') {
    const proxy = await startNginxWebSocketProxy(onProxy, node.webSocket.replace('ws:', 'http:'))
    stops.push(proxy.stop)
    return { name, url: proxy.url.replace('http:', 'ws:'), processId: proxy.processId }
  }
  const gateway = await serveLimited(
    { evm: node.http, websocket: node.webSocket },
    {
      command: onProxy,
      environment: { FAIRLEAD_PROBE_NODES: 'false', FAIRLEAD_MAX_CONCURRENT_CALLS: '4096' },
      nodeFlags: flags.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${flags.profile}`],
    },
  )
  stops.push(gateway.stop)
  return {
    name,
    url: `${gateway.url.replace('http:', 'ws:')}/ws/${gateway.token}`,
    processId: gateway.processId,
  }
}

async function compare(
  scenario: Scenario,
  contenders: readonly Contender[],
  nodeId: number,
): Promise<ReadonlyMap<string, readonly Sample[]>> {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 1; round <= report.rounds; round++) {
    for (const contender of contenders) {
      console.error(`${titleOf(scenario)}: round ${round}, ${contender.name}`)
      samples.get(contender.name)?.push(await measure(contender, scenario, nodeId))
    }
  }
  return samples
}

async function measure(
  { name, url, processId }: Contender,
  { connections, calls }: Scenario,
  nodeId: number,
): Promise<Sample> {
  // Long enough for the code to be compiled.
  const warmUpSeconds = warm.has(name) ? Number(flags['warm-up']) : Math.max(20, Number(flags['warm-up']))
  warm.add(name)
  const window = {
    command: onOtherProcessor,
    url,
    connections,
    calls,
    warmUpSeconds,
    seconds: Number(flags.seconds),
  }
  const processIds = processId === undefined ? [nodeId] : [nodeId, processId]
  const { usedMs, ...result } = await loadWebSockets(window, processIds)
  const [nodeMs = 0, proxyMs = 0] = usedMs
  const perCall = (ms: number) => (ms * 1_000) / Math.max(result.calls, 1)
  return {
    ...result,
    proxyUs: perCall(proxyMs),
    nodeUs: perCall(nodeMs),
  }
}

function titleOf({ connections, calls }: Scenario): string {
  return `${connections} ${connections === 1 ? 'connection' : 'connections'}, ${calls} ${calls === 1 ? 'call' : 'calls'} in flight on each`
}

function add(scenario: Scenario, samples: ReadonlyMap<string, readonly Sample[]>): void {
  const baseline = samples.has('nginx') ? 'nginx' : ([...samples.keys()][0] ?? '')
  const lower = { better: 'lower', baseline } as const
  const measures = measuresOf<Sample>(samples, [
    ...loadMeasures('calls', baseline),
    {
      ...lower,
      name: 'CPU time of the proxy per call',
      unit: 'µs',
      value: ({ proxyUs }, name) => (name === 'direct' ? undefined : proxyUs),
    },
    { ...lower, name: 'CPU time of the node per call', unit: 'µs', value: ({ nodeUs }) => nodeUs },
  ])
  const errors = [...samples.values()].flat().reduce((sum, sample) => sum + sample.errors, 0)
  const present = Object.fromEntries([...samples.keys()].map((name) => [name, roles[name] ?? 'reference']))
  report.add({ title: titleOf(scenario), roles: present, measures, errors })
}

/** Stops all servers. Later callers wait for the first one. */
function stopAll(): Promise<void> {
  stopping ??= (async () => {
    for (const stop of stops.toReversed()) await stop()
  })()
  return stopping
}
