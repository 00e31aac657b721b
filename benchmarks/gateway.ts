// The gateway of the working tree against that of another commit, at the same time, with nginx as a reference.
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { checkOut, commitOf, hasChanges, repository } from './fixtures/checkout.ts'
import { grpc } from './fixtures/paired-loads/grpc.ts'
import { beacon, jsonRpc } from './fixtures/paired-loads/http.ts'
import type { StartLoad, Target } from './fixtures/paired-loads/paired-load.ts'
import { webSocket } from './fixtures/paired-loads/web-socket.ts'
import { compareStarts, medianOf } from './fixtures/paired-statistics.ts'
import { moveToProcessor } from './fixtures/processors.ts'
import { readFlags } from './fixtures/read-flags.ts'
import type { ProxySample } from './fixtures/report/proxy-measures.ts'
import { serve } from './fixtures/gateway-process.ts'

const loads: Readonly<Record<string, { readonly start: StartLoad; readonly scenario: string }>> = {
  'json-rpc': { start: jsonRpc, scenario: '64x0.2' },
  'web-socket': { start: webSocket, scenario: '64x1' },
  beacon: { start: beacon, scenario: '64x0.2' },
  grpc: { start: grpc, scenario: 'unary' },
}

const flags = readFlags(import.meta.filename, {
  against: { type: 'string', default: 'HEAD', description: 'commit to compare with: any git ref' },
  load: { type: 'string', default: 'json-rpc', description: `one of ${Object.keys(loads).join(', ')}` },
  scenario: {
    type: 'string',
    description:
      'json-rpc, beacon: connections x kB of a response, json-rpc also x calls of a batch; web-socket: ' +
      'connections x calls in flight; grpc: unary, batched or single',
  },
  starts: {
    type: 'string',
    default: '8',
    description: 'how often both are started, alternately first: even, 4 at least',
  },
  pairs: { type: 'string', default: '16', description: 'windows of each in a start' },
  seconds: { type: 'string', default: '1', description: 'length of a window' },
  'warm-up': {
    type: 'string',
    default: '80',
    description:
      'most windows of each before those that count, which begin once the CPU for a request falls no more',
  },
  json: { type: 'string', description: 'file for all measurements' },
})

const kind = loads[flags.load] ?? fail(`--load has to be one of ${Object.keys(loads).join(', ')}.`)
const scenario = flags.scenario ?? kind.scenario
const seconds = Number(flags.seconds)
if (!(seconds > 0)) fail('--seconds has to be a number above 0.')
const pairs = Number(flags.pairs)
if (!Number.isInteger(pairs) || pairs < 1) fail('--pairs has to be a whole number, 1 at least.')
const startCount = Number(flags.starts)
if (!(startCount >= 4 && startCount % 2 === 0)) fail('--starts has to be an even number, 4 at least.')
const maxWarmUp = Number(flags['warm-up'])
if (!Number.isInteger(maxWarmUp) || maxWarmUp < 0) fail('--warm-up has to be a whole number.')
for (const [program, flag] of [
  ['wrk', '-v'],
  ['nginx', '-v'],
  ['taskset', '-V'],
  ['setarch', '-V'],
] as const) {
  if (spawnSync(program, [flag]).error) fail(`${program} is missing; install it to run this benchmark.`)
}

// The gateways and nginx have one processor to themselves. The load and the node share the other.
const forProxies = 0
const forLoad = 1

// Number of windows of each gateway that are compared with the preceding ones.
const warmUpRound = 8
// A smaller difference between rounds is noise.
const minImprovement = 0.97

// Removes differences between starts that a change of the source does not cause: memory addresses, hashes, and the time
// of compilation.
const reproducibleCommand = [
  'setarch',
  '--addr-no-randomize',
  process.execPath,
  '--hash-seed=1',
  '--random-seed=1',
]
const compilationFlags = ['--no-concurrent-recompilation', '--no-concurrent-sparkplug', '--liftoff-only']

interface Contender extends Target {
  stop(): Promise<void>
}

const both = ['working tree', 'other'] as const
const names = [...both, 'nginx'] as const
type Name = (typeof names)[number]

const commit = await commitOf(flags.against).catch((error: Error) => fail(error.message))
const load = await kind.start(scenario, forLoad).catch((error: Error) => fail(error.message))
console.log(`working tree${(await hasChanges()) ? ' with changes' : ''} against ${commit}: installing it`)
const other = await checkOut(commit)
const stops = [load.stop, other.remove]
process.once('SIGINT', () => void stop(130)).once('SIGTERM', () => void stop(143))
const starts: Record<Name, ProxySample[]>[] = []
let isStopping = false
try {
  for (let start = 0; start < startCount; start++) starts.push(await measureStart(start))
  report()
  if (flags.json !== undefined) await writeFile(flags.json, JSON.stringify(starts))
  await stop(0)
} catch (error) {
  // A signal stops the gateways first, so measurements in progress fail.
  if (!isStopping) {
    console.error(error)
    await stop(1)
  }
}

async function stop(code: number): Promise<never> {
  isStopping = true
  for (const end of stops) await end()
  return process.exit(code)
}

function fail(reason: string): never {
  console.error(reason)
  return process.exit(2)
}

async function startGateway(sources: string): Promise<Contender> {
  const environment = {
    ...load.environment,
    FAIRLEAD_BUILTIN_HTTP_SERVER: 'true',
    FAIRLEAD_PROBE_NODES: 'false',
  }
  const gateway = await serve(environment, sources, [...reproducibleCommand, ...compilationFlags])
  stops.push(gateway.stop)
  moveToProcessor(gateway.processId, forProxies)
  return { ...(await load.target(gateway, gateway)), stop: gateway.stop }
}

async function startNginx(): Promise<Contender> {
  const proxy = await load.startNginx(forProxies)
  stops.push(proxy.stop)
  return { ...(await load.target(proxy)), stop: proxy.stop }
}

/** Every second start begins with the other gateway. */
async function measureStart(start: number): Promise<Record<Name, ProxySample[]>> {
  const nginx = await startNginx()
  const isTreeFirst = start % 2 === 0
  const gateways = new Map<(typeof both)[number], Contender>()
  for (const name of isTreeFirst ? both : both.toReversed())
    gateways.set(name, await startGateway(name === 'other' ? other.folder : repository))
  const contenders = { ...Object.fromEntries(gateways), nginx } as Record<Name, Contender>
  const warmUp = await warmedUp(contenders, [...gateways.keys()], start)
  const samples = await measureWindows(contenders, [...gateways.keys()], pairs)
  logProgress(`start ${start + 1}/${startCount}: done after ${warmUp} windows to warm up and ${pairs} pairs`)
  for (const { close, stop: end } of [...gateways.values(), nginx]) {
    close()
    await end()
  }
  return samples
}

/** Takes windows until the CPU time per request no longer falls at either gateway. Returns the number of windows. */
async function warmedUp(
  contenders: Record<Name, Contender>,
  order: readonly (typeof both)[number][],
  start: number,
): Promise<number> {
  let before = { 'working tree': Number.POSITIVE_INFINITY, other: Number.POSITIVE_INFINITY }
  for (let windows = 0; windows < maxWarmUp; windows += warmUpRound) {
    const samples = await measureWindows(contenders, order, warmUpRound)
    const cpuUs = (name: (typeof both)[number]) => medianOf(samples[name].map((sample) => sample.cpuUs))
    const after = { 'working tree': cpuUs('working tree'), other: cpuUs('other') }
    logProgress(
      `start ${start + 1}/${startCount}, warming up: ${both.map((name) => after[name].toFixed(1)).join(' and ')} us`,
    )
    if (both.every((name) => after[name] > before[name] * minImprovement)) return windows + warmUpRound
    before = after
  }
  return maxWarmUp
}

/**
 * Both gateways are measured at the same time and share a processor, so that other processes affect both equally. A
 * window of nginx follows every second window of theirs.
 */
async function measureWindows(
  contenders: Record<Name, Contender>,
  order: readonly (typeof both)[number][],
  count: number,
): Promise<Record<Name, ProxySample[]>> {
  const samples: Record<Name, ProxySample[]> = { 'working tree': [], other: [], nginx: [] }
  for (let pair = 0; pair < count; pair++) {
    const pairOrder = pair % 2 === 0 ? order : order.toReversed()
    const measured = await Promise.all(
      pairOrder.map(async (name) => ({ name, sample: await contenders[name].measure(seconds) })),
    )
    for (const { name, sample } of measured) samples[name].push(sample)
    if (pair % 2 === 1) samples.nginx.push(await contenders.nginx.measure(seconds))
  }
  return samples
}

function logProgress(progress: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${progress}` : `${progress}\n`)
}

function report(): void {
  const all = (name: Name) => starts.flatMap((samples) => samples[name])
  console.log(`\n${flags.load}, ${scenario}, ${flags.starts} starts of ${pairs} pairs; medians`)
  for (const name of names) {
    const of = (field: keyof ProxySample) => medianOf(all(name).map((sample) => sample[field]))
    const errors = all(name).reduce((sum, sample) => sum + sample.errors, 0)
    console.log(
      `  ${(name === 'other' ? commit : name).padEnd(14)}CPU ${of('cpuUs').toFixed(1)} us a request` +
        `  ${Math.round(of('perSecond'))}/s${delays(of('p50Ms'), of('p99Ms'))}` +
        `  ${of('memoryMb').toFixed(0)} MB${errors > 0 ? `  ${errors} ERRORS` : ''}`,
    )
  }
  console.log(`\nworking tree to ${commit}: ratio, and its bounds with a confidence of 95 %`)
  for (const [label, field] of [
    ['CPU', 'cpuUs'],
    ['calls/s', 'perSecond'],
    ['p99', 'p99Ms'],
    ['memory', 'memoryMb'],
  ] as const) {
    const ratiosOf = (samples: Record<Name, ProxySample[]>) =>
      samples['working tree'].map(
        (sample, pair) => sample[field] / (samples.other[pair]?.[field] ?? Number.NaN),
      )
    if (starts.flatMap(ratiosOf).some(Number.isNaN)) continue
    const { ratio, low, high, outcome } = compareStarts(starts.map(ratiosOf))
    const byStart = starts.map((samples) => medianOf(ratiosOf(samples)).toFixed(3)).join(' ')
    console.log(
      `  ${label.padEnd(8)}x${ratio.toFixed(3)} (${low.toFixed(3)}-${high.toFixed(3)})  ${outcome}; by start ${byStart}`,
    )
  }
}

function delays(p50Ms: number, p99Ms: number): string {
  return Number.isNaN(p99Ms) ? '' : `  p50 ${p50Ms.toFixed(2)}  p99 ${p99Ms.toFixed(2)} ms`
}
