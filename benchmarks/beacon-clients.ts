// The cost of a beacon client for a program: import time, and time and memory for reading a 50 MB response, compared
// with @lodestar/api and with hand-written code. Each measurement runs in a separate process. All take turns within one
// run.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

const megabytes = Number(process.env['MEGABYTES'] ?? 50)
const rounds = 5

await importTimes()
await largeBodies()

/**
 * Imports the published packages, because stripping types at run time would also cost time. The packages have to be
 * built first.
 */
async function importTimes(): Promise<void> {
  const libraries = ['', '@fairlead/beacon', '@lodestar/api']
  const times: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round++) {
    for (const library of libraries) {
      const program = fork(new URL('fixtures/import-library.mjs', import.meta.url), [library], {
        execArgv: [],
      })
      const [ms] = (await once(program, 'message')) as [number]
      await once(program, 'exit')
      ;(times[library] ??= []).push(ms)
    }
  }
  console.log(`time to import, medians of ${rounds}`)
  const ours = median(times['@fairlead/beacon'] ?? [])
  for (const [library, values] of Object.entries(times)) {
    const ms = median(values)
    console.log(
      `  ${(library || 'nothing').padEnd(18)} ${ms.toFixed(1).padStart(7)} ms  x${(ms / ours).toFixed(1)}`,
    )
  }
}

interface Cost {
  readonly items: number
  readonly seconds: number
  readonly memoryMb: number
}

async function largeBodies(): Promise<void> {
  const server = run('large-bodies', String(megabytes))
  const [port] = (await once(server, 'message')) as [number]
  const ways = [
    'fetch and JSON.parse',
    '@fairlead/beacon, whole',
    '@fairlead/beacon, streamed',
    '@lodestar/api',
  ]
  for (const body of ['fork_choice', 'validators']) {
    const costs: Record<string, Cost[]> = {}
    for (let round = 0; round < rounds; round++) {
      for (const way of ways) {
        const reader = run('read-body', body, way, `http://127.0.0.1:${port}`)
        const [cost] = (await once(reader, 'message')) as [Cost]
        await once(reader, 'exit')
        ;(costs[way] ??= []).push(cost)
      }
    }
    console.log(`${body} of ${megabytes} MB, ${costs[ways[0] ?? '']?.[0]?.items} items, medians of ${rounds}`)
    const of = (way: string, field: keyof Cost) => median((costs[way] ?? []).map((cost) => cost[field]))
    const cell = (way: string, field: keyof Cost, digits: number, unit: string) =>
      `${of(way, field).toFixed(digits).padStart(7)} ${unit} (x${(of(way, field) / of(ways[0] ?? '', field)).toFixed(2)})`
    for (const way of ways) {
      console.log(`  ${way.padEnd(28)}${cell(way, 'seconds', 2, 's')}  ${cell(way, 'memoryMb', 0, 'MB')}`)
    }
  }
  server.kill()
}

function run(program: string, ...words: string[]): ChildProcess {
  return fork(new URL(`fixtures/${program}.ts`, import.meta.url), words, {
    execArgv: ['--conditions=@fairlead/source'],
  })
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
