// The gateway of the working tree against the one of another commit, by turns, with nginx beside them.
import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { checkOut, commitOf, hasChanges, repository } from './fixtures/checkout.ts'
import { answerSizes, startNginxNode, startNginxProxy } from './fixtures/nginx.ts'
import { compareStarts, medianOf } from './fixtures/paired-statistics.ts'
import { cpuMs, memoryMb } from './fixtures/process-cost.ts'
import { readFlags } from './fixtures/read-flags.ts'
import type { ProxySample } from './fixtures/report-ratios.ts'
import { serve } from './fixtures/service.ts'
import { load } from './fixtures/wrk.ts'

const flags = readFlags(import.meta.filename, {
  against: { type: 'string', default: 'HEAD', means: 'commit to compare with: any git ref' },
  scenario: {
    type: 'string',
    default: '64x0.2',
    means: 'connections x kB of an answer, and x calls of a batch',
  },
  starts: {
    type: 'string',
    default: '8',
    means: 'how often both are started, in turns first: even, 4 at least',
  },
  pairs: { type: 'string', default: '16', means: 'windows of each in a start' },
  seconds: { type: 'string', default: '1', means: 'length of a window' },
  'warm-up': {
    type: 'string',
    default: '80',
    means:
      'most windows of each before those that count, which begin once the CPU for a request falls no more',
  },
  json: { type: 'string', means: 'file for all measurements' },
})

const [connections = 64, , calls = 1] = flags.scenario.split('x').map(Number)
const size = answerSizes.find((known) => known === flags.scenario.split('x')[1])
if (size === undefined) fail(`Answers have ${answerSizes.join(', ')} kB.`)
const pairs = Number(flags.pairs)
if (!Number.isInteger(pairs) || pairs < 1) fail('--pairs has to be a whole number, 1 at least.')
const startCount = Number(flags.starts)
if (!(startCount >= 4 && startCount % 2 === 0)) fail('--starts has to be an even number, 4 at least.')
const mostWarmUp = Number(flags['warm-up'])
if (!Number.isInteger(mostWarmUp) || mostWarmUp < 0) fail('--warm-up has to be a whole number.')
for (const [program, flag] of [
  ['wrk', '-v'],
  ['nginx', '-v'],
  ['taskset', '-V'],
  ['setarch', '-V'],
] as const) {
  if (spawnSync(program, [flag]).error) fail(`${program} is missing; install it to run this benchmark.`)
}

// The gateways and nginx have one processor for themselves; the load and the node share the other.
const onProxy = ['taskset', '-c', '0']
const beside = ['taskset', '-c', '1']

// Windows of each gateway that are compared with those before them.
const warmUpRound = 8
// Less than that from round to round is noise.
const leastFall = 0.97

// What differs from start to start without a change of the source: places in memory, hashes, and when code is compiled.
const alike = ['setarch', '--addr-no-randomize', process.execPath, '--hash-seed=1', '--random-seed=1']
const compiledAlike = ['--no-concurrent-recompilation', '--no-concurrent-sparkplug', '--liftoff-only']

interface Contender {
  readonly processId: number
  readonly url: string
  stop(): Promise<void>
}

const both = ['working tree', 'other'] as const
const names = [...both, 'nginx'] as const
type Name = (typeof names)[number]

const commit = await commitOf(flags.against).catch((error: Error) => fail(error.message))
console.log(`working tree${(await hasChanges()) ? ' with changes' : ''} against ${commit}: installing it`)
const other = await checkOut(commit)
const node = await startNginxNode(beside, calls)
const stops = [node.stop, other.remove]
process.once('SIGINT', () => void stop(130)).once('SIGTERM', () => void stop(143))
const starts: Record<Name, ProxySample[]>[] = []
let isStopping = false
try {
  for (let start = 0; start < startCount; start++) starts.push(await measureStart(start))
  report()
  if (flags.json !== undefined) await writeFile(flags.json, JSON.stringify(starts))
  await stop(0)
} catch (error) {
  // A signal stops the services first, so measurements under way fail.
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
    FAIRLEAD_EVM_UPSTREAM: `${node.url}/${size}`,
    FAIRLEAD_OWN_HTTP_FRONT: 'true',
    FAIRLEAD_PROBE_NODES: 'false',
  }
  const service = await serve(environment, sources, [...alike, ...compiledAlike])
  stops.push(service.stop)
  spawnSync('taskset', ['-a', '-c', '-p', '0', String(service.processId)])
  return { ...service, url: `${service.url}/${service.token}` }
}

/** Every second start begins with the other gateway. */
async function measureStart(start: number): Promise<Record<Name, ProxySample[]>> {
  const proxy = await startNginxProxy(onProxy, node.url)
  stops.push(proxy.stop)
  const isTreeFirst = start % 2 === 0
  const gateways = new Map<(typeof both)[number], Contender>()
  for (const name of isTreeFirst ? both : both.toReversed())
    gateways.set(name, await startGateway(name === 'other' ? other.folder : repository))
  const nginx = { ...proxy, url: `${proxy.url}/${size}` }
  const contenders = { ...Object.fromEntries(gateways), nginx } as Record<Name, Contender>
  const warmUp = await warmedUp(contenders, [...gateways.keys()], start)
  const samples = await takeWindows(contenders, [...gateways.keys()], pairs)
  tell(`start ${start + 1}/${startCount}: done after ${warmUp} windows to warm up and ${pairs} pairs`)
  for (const { stop: end } of [...gateways.values(), proxy]) await end()
  return samples
}

/** Takes windows until the CPU for a request falls no more at either gateway; gives their number. */
async function warmedUp(
  contenders: Record<Name, Contender>,
  order: readonly (typeof both)[number][],
  start: number,
): Promise<number> {
  let before = { 'working tree': Number.POSITIVE_INFINITY, other: Number.POSITIVE_INFINITY }
  for (let windows = 0; windows < mostWarmUp; windows += warmUpRound) {
    const samples = await takeWindows(contenders, order, warmUpRound)
    const cpuUs = (name: (typeof both)[number]) => medianOf(samples[name].map((sample) => sample.cpuUs))
    const after = { 'working tree': cpuUs('working tree'), other: cpuUs('other') }
    tell(
      `start ${start + 1}/${startCount}, warming up: ${both.map((name) => after[name].toFixed(1)).join(' and ')} us`,
    )
    if (both.every((name) => after[name] > before[name] * leastFall)) return windows + warmUpRound
    before = after
  }
  return mostWarmUp
}

/**
 * Both gateways take windows in the order a b b a, b a a b, with one of nginx after each four, so that neither follows
 * itself, the other or nginx more often.
 */
async function takeWindows(
  contenders: Record<Name, Contender>,
  order: readonly (typeof both)[number][],
  count: number,
): Promise<Record<Name, ProxySample[]>> {
  const samples: Record<Name, ProxySample[]> = { 'working tree': [], other: [], nginx: [] }
  for (let pair = 0; pair < count; pair++) {
    for (const name of [0, 3].includes(pair % 4) ? order : order.toReversed())
      samples[name].push(await measure(contenders[name]))
    if (pair % 2 === 1) samples.nginx.push(await measure(contenders.nginx))
  }
  return samples
}

function tell(progress: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${progress}` : `${progress}\n`)
}

async function measure(contender: Contender): Promise<ProxySample> {
  const used = cpuMs(contender.processId)
  const result = await load({
    command: beside,
    url: contender.url,
    connections,
    calls,
    seconds: Number(flags.seconds),
    method: 'eth_getBalance',
  })
  const cpuUs = ((cpuMs(contender.processId) - used) * 1_000) / Math.max(result.requests, 1)
  return { ...result, cpuUs, memoryMb: memoryMb(contender.processId) }
}

function report(): void {
  const all = (name: Name) => starts.flatMap((samples) => samples[name])
  console.log(`\n${flags.scenario}, ${flags.starts} starts of ${pairs} pairs; medians`)
  for (const name of names) {
    const of = (field: keyof ProxySample) => medianOf(all(name).map((sample) => sample[field]))
    const errors = all(name).reduce((sum, sample) => sum + sample.errors, 0)
    console.log(
      `  ${(name === 'other' ? commit : name).padEnd(14)}CPU ${of('cpuUs').toFixed(1)} us a request` +
        `  ${Math.round(of('perSecond'))}/s  p50 ${of('p50Ms').toFixed(2)}  p99 ${of('p99Ms').toFixed(2)} ms` +
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
    const { ratio, low, high, verdict } = compareStarts(starts.map(ratiosOf))
    const byStart = starts.map((samples) => medianOf(ratiosOf(samples)).toFixed(3)).join(' ')
    console.log(
      `  ${label.padEnd(8)}x${ratio.toFixed(3)} (${low.toFixed(3)}-${high.toFixed(3)})  ${verdict}; by start ${byStart}`,
    )
  }
}
