// A steady load of everything that clients do, valid and invalid, for any duration: the resources that the gateway
// holds meanwhile, whether every request received the expected response, and whether all requests are in the usage
// report.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { readFlags } from './fixtures/read-flags.ts'
import type { Command } from './fixtures/soak-load.ts'
import { type Sample, sampleGateway, slopePerHour } from './fixtures/soak-samples.ts'
import { reportedUsage } from './fixtures/soak-usage.ts'
import type { Report } from './fixtures/soak-tally.ts'
import { serve } from './fixtures/gateway-process.ts'

const flags = readFlags(import.meta.filename, {
  minutes: { type: 'string', default: '30', description: 'of load' },
  rate: { type: 'string', default: '300', description: 'requests in a second' },
  'builtin-http': { type: 'boolean', default: false, description: 'with the built-in HTTP server' },
})
const runMs = Number(flags.minutes) * 60_000
const rate = Number(flags.rate)
if (!(runMs > 0 && rate > 0)) throw new Error('--minutes and --rate are numbers above 0.')

// One minute, or less if the run is shorter than six minutes.
const rowMs = Math.min(60_000, runMs / 6)
const samplesPerRow = 6
// All requests are in the report within ten seconds, and connections to the node have ended.
const settleMs = 12_000
const maxMoreDescriptors = 10

const shutdown = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => shutdown.abort())
const stops: (() => Promise<unknown>)[] = []
try {
  process.exitCode = (await soak()) ? 0 : 1
} catch (error) {
  process.exitCode = 1
  if (shutdown.signal.aborted) console.error('given up')
  else console.error(error)
} finally {
  for (const stop of stops.toReversed()) await stop()
}

async function soak(): Promise<boolean> {
  const node = started(new URL('fixtures/soak-node.ts', import.meta.url))
  const port = await nextMessage<number>(node)
  const gateway = await serve({
    FAIRLEAD_EVM_UPSTREAM: `http://127.0.0.1:${port}`,
    FAIRLEAD_BUILTIN_HTTP_SERVER: String(flags['builtin-http']),
    // Its calls would interfere with those that are compared.
    FAIRLEAD_PROBE_NODES: 'false',
    // Unknown methods, wrong tokens and malformed bodies would fill the log.
    FAIRLEAD_LOG_LEVEL: 'error',
  })
  stops.push(gateway.stop)
  const load = started(new URL('fixtures/soak-load.ts', import.meta.url))
  await nextMessage(load)
  const since = new Date()
  await sleep(1_000, undefined, shutdown)
  const before = await sampleGateway(gateway)
  const { url, token, username, password } = gateway
  sendCommand(load, { begin: { url, token, username, password }, rate })
  const rows = await sampled(load, () => sampleGateway(gateway))
  console.error('no more requests; waiting for the last answers')
  const report = await requestReport(load, 'end')
  await sleep(settleMs, undefined, shutdown)
  const after = await sampleGateway(gateway)
  const usage = await reportedUsage({ ...gateway, since })
  return concluded({ rows, report, before, after, usage })
}

/** Prints a row for each minute. */
async function sampled(load: ChildProcess, sample: () => Promise<Sample>): Promise<Row[]> {
  const rows: Row[] = []
  const began = performance.now()
  const columns = 'minute  resident MB  heap MB  descriptors  WebSockets  loop p99 ms  loop max ms'
  console.log(`${columns}  requests/s  p50 ms  p99 ms  CPU %  unexpected`)
  let [sentBefore, cpuBefore, timeBefore] = [0, (await sample()).cpuSeconds, began]
  for (let at = 1; at * rowMs <= runMs + 1; at++) {
    const samples: Sample[] = []
    for (let index = 1; index <= samplesPerRow; index++) {
      const due = began + (at - 1 + index / samplesPerRow) * rowMs
      await sleep(Math.max(due - performance.now(), 0), undefined, shutdown)
      samples.push(await sample())
    }
    const report = await requestReport(load, 'report')
    const now = performance.now()
    const seconds = (now - timeBefore) / 1_000
    const cpuSeconds = samples.at(-1)?.cpuSeconds ?? 0
    const row: Row = {
      minute: (now - began) / 60_000,
      residentMb: mean(samples.map(({ residentMb }) => residentMb)),
      // The lowest value is nearest to the memory that a collection leaves.
      heapMb: Math.min(...samples.map(({ heapMb }) => heapMb)),
    }
    const last = samples.at(-1)
    const loopP99Ms = Math.max(...samples.map((each) => each.loopP99Ms))
    const loopMaxMs = Math.max(...samples.map((each) => each.loopMaxMs))
    const cells: readonly (readonly [value: number, width: number, digits: number])[] = [
      [row.minute, 6, 2],
      [row.residentMb, 11, 1],
      [row.heapMb, 7, 1],
      [last?.descriptors ?? 0, 11, 0],
      [report.webSockets, 10, 0],
      [loopP99Ms, 11, 1],
      [loopMaxMs, 11, 1],
      [(report.sent - sentBefore) / seconds, 10, 1],
      [report.p50Ms, 6, 1],
      [report.p99Ms, 6, 1],
      [((cpuSeconds - cpuBefore) / seconds) * 100, 5, 0],
      [report.unexpected, 10, 0],
    ]
    console.log(cells.map(([value, width, digits]) => value.toFixed(digits).padStart(width)).join('  '))
    rows.push(row)
    ;[sentBefore, cpuBefore, timeBefore] = [report.sent, cpuSeconds, now]
  }
  return rows
}

interface Row {
  readonly minute: number
  readonly residentMb: number
  readonly heapMb: number
}

interface Outcome {
  readonly rows: readonly Row[]
  readonly report: Report
  readonly before: Sample
  readonly after: Sample
  readonly usage: ReadonlyMap<string, number>
}

/** Prints the results. Returns true when all are as expected. */
function concluded({ rows, report, before, after, usage }: Outcome): boolean {
  console.log('\nrequests sent, by kind')
  for (const [kind, count] of Object.entries(report.kinds)) console.log(`  ${kind.padEnd(24)}${count}`)

  console.log(`\n${'usage'.padEnd(26)}${'sent'.padStart(10)}${'reported'.padStart(10)}  difference`)
  const sent = new Map(Object.entries(report.usage))
  let differs = false
  for (const method of [...new Set([...sent.keys(), ...usage.keys()])].toSorted()) {
    const [sentCalls, reported] = [sent.get(method) ?? 0, usage.get(method) ?? 0]
    // A head may be in transit to a subscriber that disconnects.
    const maxInTransit = method === 'eth_subscription' ? (report.kinds['subscriber'] ?? 0) : 0
    differs ||= reported < sentCalls || reported > sentCalls + maxInTransit
    console.log(
      `  ${method.padEnd(24)}${String(sentCalls).padStart(10)}${String(reported).padStart(10)}${String(reported - sentCalls).padStart(12)}`,
    )
  }
  const sum = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((all, each) => all + each, 0)
  const [sentCalls, reported] = [sum(sent), sum(usage)]
  console.log(
    `  ${'all'.padEnd(24)}${String(sentCalls).padStart(10)}${String(reported).padStart(10)}${String(reported - sentCalls).padStart(12)}`,
  )

  const third = Math.floor(rows.length / 3)
  const settled = rows.slice(third)
  console.log('\nlast third against the middle third; MB an hour over both')
  for (const field of ['residentMb', 'heapMb'] as const) {
    const of = (part: readonly Row[]) => mean(part.map((row) => row[field]))
    const ratio = of(rows.slice(-third)) / of(rows.slice(third, -third))
    const rise = slopePerHour(settled.map((row) => [row.minute, row[field]]))
    console.log(
      `  ${field === 'residentMb' ? 'resident' : 'heap'}: ${ratio.toFixed(3)}, ${rise.toFixed(1)} MB/h`,
    )
  }
  const more = after.descriptors - before.descriptors
  console.log(`descriptors: ${before.descriptors} before, ${after.descriptors} after (${after.kinds})`)
  console.log(`served from the cache: ${after.cacheHits}`)
  console.log(`skipped because too many requests were in flight: ${report.skipped}`)
  console.log(`unexpected: ${report.unexpected}`)
  for (const example of report.examples) console.log(`  ${example}`)

  const faults = [
    ...(differs ? ['usage differs from what was sent'] : []),
    ...(more > maxMoreDescriptors ? [`${more} more descriptors`] : []),
    ...(report.unexpected > 0 ? ['unexpected responses'] : []),
  ]
  console.log(faults.length === 0 ? 'as it has to be' : `FAULTS: ${faults.join('; ')}`)
  return faults.length === 0
}

function started(file: URL): ChildProcess {
  const child = fork(file.pathname)
  const ended = once(child, 'exit')
  // Without the child process there is nothing to measure. After the benchmark has ended, this has no effect.
  child.once('exit', () => shutdown.abort())
  stops.push(async () => {
    child.kill()
    await ended
  })
  return child
}

async function nextMessage<message>(child: ChildProcess): Promise<message> {
  const [message] = (await once(child, 'message', shutdown)) as [message]
  return message
}

function sendCommand(child: ChildProcess, command: Command): void {
  child.send(command)
}

async function requestReport(load: ChildProcess, command: 'report' | 'end'): Promise<Report> {
  const pendingReport = nextMessage<Report>(load)
  sendCommand(load, command)
  return pendingReport
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
