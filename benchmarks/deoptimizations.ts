// Functions of the gateway that V8 deoptimizes under a steady load: the machine code was compiled for values of another
// shape, and is discarded. After the warm-up there should be none.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from './fixtures/gateway-process.ts'
import { grpc } from './fixtures/paired-loads/grpc.ts'
import { beacon, jsonRpc } from './fixtures/paired-loads/http.ts'
import type { StartLoad } from './fixtures/paired-loads/paired-load.ts'
import { webSocket } from './fixtures/paired-loads/web-socket.ts'
import { readFlags } from './fixtures/read-flags.ts'

const forLoad = 1
// The load opens its connections before a window, and closes them after it.
const marginMs = 1_500

const loads: Readonly<Record<string, readonly [start: StartLoad, scenario: string]>> = {
  'single calls': [jsonRpc, '64x0.2'],
  batches: [jsonRpc, '64x0.2x10'],
  WebSocket: [webSocket, '64x1'],
  beacon: [beacon, '64x0.2'],
  'gRPC unary': [grpc, 'unary'],
  'gRPC stream': [grpc, 'single'],
}

const flags = readFlags(import.meta.filename, {
  only: { type: 'string', description: `some of ${Object.keys(loads).join(', ')}` },
  'warm-up': { type: 'string', default: '60', description: 'seconds of load before the windows' },
  windows: { type: 'string', default: '3', description: 'number of windows' },
  seconds: { type: 'string', default: '10', description: 'length of a window' },
})

const names = flags.only?.split(',') ?? Object.keys(loads)
for (const name of names) {
  const [start, scenario] = loads[name] ?? []
  if (start === undefined || scenario === undefined)
    throw new RangeError(`${name} is none of ${Object.keys(loads).join(', ')}.`)
  await measure(name, start, scenario)
}
process.exit(0)

async function measure(name: string, start: StartLoad, scenario: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-benchmark-'))
  const trace = join(folder, 'trace')
  const load = await start(scenario, forLoad)
  const environment = { ...load.environment, FAIRLEAD_PROBE_NODES: 'false' }
  const traceFlags = [
    '--trace-deopt',
    '--trace-deopt-verbose',
    '--redirect-code-traces',
    `--redirect-code-traces-to=${trace}`,
  ]
  const gateway = await serve(environment, undefined, [process.execPath, ...traceFlags])
  const target = await load.target(gateway, gateway)
  try {
    await target.measure(Number(flags['warm-up']))
    for (let window = 1; window <= Number(flags.windows); window++) {
      const seconds = Number(flags.seconds)
      const running = target.measure(seconds + (2 * marginMs) / 1_000)
      await sleep(marginMs)
      const before = (await readTrace(trace)).length
      await sleep(seconds * 1_000)
      const deoptimizations = (await readTrace(trace)).slice(before)
      const { errors, requests } = await running
      console.log(
        `${name}, window ${window}: ${deoptimizations.length} deoptimizations, about ${requests} requests, ${errors} errors`,
      )
      for (const each of deoptimizations) console.log(`  ${each}`)
    }
  } finally {
    target.close()
    await gateway.stop()
    await load.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Reads reason and position of every deoptimization so far. Machine code that only gives way to faster code is none. */
async function readTrace(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const begin =
    /bailout \(kind: [^,]+, reason: (?!prepare for on stack)(.*?)\): begin\. .*?<JSFunction ?(.*?)[ >].*\n(?: *;;; deoptimize at <(.*?)>)?/g
  return [...text.matchAll(begin)].map(
    ([, reason = '', name = '', position = '']) => `${name} ${position}: ${reason}`,
  )
}
