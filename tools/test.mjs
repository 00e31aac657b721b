// What `npm test` runs. Runs on any Node that the workspace can be installed with.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const usage = `usage: npm test [-- --profile] [flags of turbo run]

  --profile   prints at the end how long each task and the slowest tests took; tasks from the cache took nothing
  --force     runs what is in the cache too
`

const runs = '.turbo/runs'
const slowest = 20
const flags = process.argv.slice(2)
if (flags.includes('--help')) {
  process.stdout.write(usage)
  process.exit(0)
}
const isProfiled = flags.includes('--profile')
const { status, error } = spawnSync(
  'turbo',
  [
    ...'run check test build check:package size'.split(' '),
    ...'--output-logs=new-only --log-order=grouped --concurrency=5 --continue=dependencies-successful'.split(
      ' ',
    ),
    ...(isProfiled ? ['--summarize'] : []),
    ...flags.filter((flag) => flag !== '--profile'),
  ],
  { stdio: 'inherit', env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' } },
)
if (error) throw error
if (isProfiled) printProfile()
process.exit(status ?? 1)

function printProfile() {
  const newest = readdirSync(runs).toSorted().at(-1)
  const { tasks, execution } = JSON.parse(readFileSync(join(runs, newest), 'utf8'))
  const took = ({ execution: { startTime, endTime } }) => endTime - startTime
  print(`tasks; all of them took ${seconds(execution.endTime - execution.startTime)}`)
  for (const task of tasks.filter((each) => each.execution).toSorted((a, b) => took(b) - took(a))) {
    print(`${seconds(took(task))}  ${task.cache.status === 'HIT' ? 'cached  ' : ''}${task.taskId}`)
  }
  const places = ['packages', 'tests', 'tools'].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  )
  const tests = places.flatMap(testsOf)
  print(`slowest tests, of ${tests.length}`)
  for (const { duration, name } of tests.toSorted((a, b) => b.duration - a.duration).slice(0, slowest))
    print(`${seconds(duration)}  ${name}`)
}

function testsOf(place) {
  const file = join(place, '.results/vitest.json')
  if (!existsSync(file)) return []
  const { testResults } = JSON.parse(readFileSync(file, 'utf8'))
  return testResults.flatMap((suite) =>
    suite.assertionResults.map(({ duration = 0, fullName }) => ({
      duration,
      name: `${place}${suite.name.split(place).at(-1)}: ${fullName}`,
    })),
  )
}

function seconds(milliseconds) {
  return `${(milliseconds / 1_000).toFixed(1)} s`.padStart(9)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
