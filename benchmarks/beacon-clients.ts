// The cost of a beacon client for a program: import time, and time and memory for reading a 50 MB response, compared
// with @lodestar/api and with hand-written code. Each measurement runs in a separate process. All take turns within one
// run.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFlags } from './fixtures/read-flags.ts'
import { measuresOf } from './fixtures/report/comparison.ts'
import { reportFlags, startReport } from './fixtures/report/start-report.ts'

const megabytes = Number(process.env['MEGABYTES'] ?? 50)
const report = await startReport(import.meta.filename, {
  flags: readFlags(import.meta.filename, reportFlags),
  rounds: 5,
  software: { packages: ['@lodestar/api'] },
})
await importTimes()
await largeBodies()
await report.finish()

/**
 * Imports the published packages, because stripping types at run time would also cost time. The packages have to be
 * built first.
 */
async function importTimes(): Promise<void> {
  const roles = {
    nothing: 'reference',
    '@fairlead/beacon': 'fairlead',
    '@lodestar/api': 'alternative',
  } as const
  const times = new Map<string, number[]>(Object.keys(roles).map((library) => [library, []]))
  for (let round = 0; round < report.rounds; round++) {
    for (const [library, samples] of times) {
      const args = library === 'nothing' ? [] : [library]
      const program = fork(new URL('fixtures/import-library.mjs', import.meta.url), args, { execArgv: [] })
      const [ms] = (await once(program, 'message')) as [number]
      await once(program, 'exit')
      samples.push(ms)
    }
  }
  const baseline = '@fairlead/beacon'
  const measures = measuresOf(times, [
    { name: 'time to import', unit: 'ms', better: 'lower', baseline, value: (sample) => sample },
  ])
  report.add({ title: 'Import of the library', roles, measures, errors: 0 })
}

interface Cost {
  readonly seconds: number
  readonly memoryMb: number
}

async function largeBodies(): Promise<void> {
  const server = run('large-bodies', String(megabytes))
  const [port] = (await once(server, 'message')) as [number]
  const baseline = 'fetch and JSON.parse'
  const roles = {
    [baseline]: 'alternative',
    '@fairlead/beacon, whole': 'fairlead',
    '@fairlead/beacon, streamed': 'fairlead',
    '@lodestar/api': 'alternative',
  } as const
  for (const [body, title] of [
    ['fork_choice', 'Fork choice response'],
    ['validators', 'Response with validators'],
  ] as const) {
    const costs = new Map<string, Cost[]>(Object.keys(roles).map((mode) => [mode, []]))
    for (let round = 0; round < report.rounds; round++) {
      for (const [mode, samples] of costs) {
        const reader = run('read-body', body, mode, `http://127.0.0.1:${port}`)
        const [cost] = (await once(reader, 'message')) as [Cost]
        await once(reader, 'exit')
        samples.push(cost)
      }
    }
    const measures = measuresOf(costs, [
      { name: 'time', unit: 's', better: 'lower', baseline, value: ({ seconds }) => seconds },
      { name: 'memory', unit: 'MB', better: 'lower', baseline, value: ({ memoryMb }) => memoryMb },
    ])
    report.add({ title: `${title} of ${megabytes} MB`, roles, measures, errors: 0 })
  }
  server.kill()
}

function run(program: string, ...args: string[]): ChildProcess {
  return fork(new URL(`fixtures/${program}.ts`, import.meta.url), args, {
    execArgv: ['--conditions=@fairlead/source'],
  })
}
