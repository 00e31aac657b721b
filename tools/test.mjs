// The script of `npm test`. Runs on every Node.js version with which the workspace can be installed.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { installedPrograms, printSkippedTests } from './skipped-tests.mjs'
import { readTestFiles } from './test-results.mjs'

const usage = `usage: npm test [-- --profile] [flags of turbo run]

  --profile   prints the durations of all tasks and of the slowest tests; cached tasks take no time
  --force     also runs cached tasks
`

const runs = '.turbo/runs'
const slowest = 20

const elsewhere = [
  { name: 'packed packages and the site', command: 'npm run check:packages' },
  {
    name: 'go-ethereum, arbitrary calls, faults, attacks, runtimes, examples, the console and the lifecycle page',
    command: 'npm run test:reality',
  },
]

const flags = process.argv.slice(2)
if (flags.includes('--help')) {
  process.stdout.write(usage)
  process.exit(0)
}
const isProfiled = flags.includes('--profile')
const begin = Date.now()
const { status, error } = spawnSync(
  'turbo',
  [
    ...'run check test'.split(' '),
    ...'--output-logs=new-only --log-order=grouped --concurrency=3 --continue=dependencies-successful'.split(
      ' ',
    ),
    ...(isProfiled ? ['--summarize'] : []),
    ...flags.filter((flag) => flag !== '--profile'),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      // Part of what the cached results depend on.
      FAIRLEAD_TEST_PROGRAMS: installedPrograms().join(' '),
    },
  },
)
if (error) throw error
if (isProfiled) printProfile()
printSkippedTests()
for (const { name, command } of elsewhere) print(`not run: tests of ${name}: ${command}`)
process.exit(status ?? 1)

function printProfile() {
  const latest = readdirSync(runs).toSorted().at(-1)
  const { tasks, execution } = JSON.parse(readFileSync(join(runs, latest), 'utf8'))
  const took = ({ execution: { startTime, endTime } }) => endTime - startTime
  print(`tasks; total ${seconds(execution.endTime - execution.startTime)}`)
  for (const task of tasks.filter((each) => each.execution).toSorted((a, b) => took(b) - took(a))) {
    print(`${seconds(took(task))}  ${task.cache.status === 'HIT' ? 'cached  ' : ''}${task.taskId}`)
  }
  const tests = readTestFiles(begin).flatMap((file) =>
    file.tests.map(({ duration = 0, fullName }) => ({ duration, name: `${file.path}: ${fullName}` })),
  )
  print(`slowest tests, of ${tests.length}`)
  for (const { duration, name } of tests.toSorted((a, b) => b.duration - a.duration).slice(0, slowest))
    print(`${seconds(duration)}  ${name}`)
}

function seconds(milliseconds) {
  return `${(milliseconds / 1_000).toFixed(1)} s`.padStart(9)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
