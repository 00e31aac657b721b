// The script of `npm test`. Runs on every Node.js version with which the workspace can be installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTestFiles } from './test-results.mjs'

const usage = `usage: npm test [-- --profile] [flags of turbo run]

  --profile   prints the durations of all tasks and of the slowest tests; cached tasks take no time
  --force     also runs cached tasks
`

const runs = '.turbo/runs'
const slowest = 20

// Programs without which suites are skipped: how the test source names them, whether they are missing, and how to
// install them.
const programs = [
  {
    guard: /hasRedisServer/,
    name: 'Redis',
    isMissing: () => !isOnPath('redis-server'),
    command: 'apt-get install redis-server',
  },
  {
    guard: /postgresPrograms|TEST_DATABASE_URL|backends/,
    name: 'PostgreSQL',
    isMissing: () => !isOnPath('postgres') && !existsSync('/usr/lib/postgresql'),
    command: 'apt-get install postgresql',
  },
  {
    guard: /chromium/,
    name: 'Chromium',
    isMissing: () => !['chromium', 'chromium-browser', 'google-chrome'].some(isOnPath),
    command: 'apt-get install chromium',
  },
  {
    guard: /hasNginx/,
    name: 'nginx',
    isMissing: () => !isOnPath('nginx'),
    command: 'apt-get install nginx',
  },
  {
    guard: /hasSystemd/,
    name: 'systemd',
    isMissing: () => !isOnPath('systemd-analyze'),
    command: 'apt-get install systemd',
  },
]
const elsewhere = [
  { name: 'packed packages and the site', command: 'npm run check:packages' },
  { name: 'go-ethereum, arbitrary calls, faults and the console', command: 'npm run test:reality' },
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
  { stdio: 'inherit', env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' } },
)
if (error) throw error
if (isProfiled) printProfile()
printSkipped()
process.exit(status ?? 1)

/** Prints a line for each file with tests that need a program that is not installed. */
function printSkipped() {
  for (const { path, tests } of readTestFiles()) {
    const count = tests.filter(({ status: outcome }) => ['skipped', 'pending'].includes(outcome)).length
    if (count === 0) continue
    const source = readFileSync(path, 'utf8')
    const missing = programs.find(({ guard, isMissing }) => guard.test(source) && isMissing())
    if (missing) print(`skipped: ${path}, ${count} tests without ${missing.name}: ${missing.command}`)
  }
  for (const { name, command } of elsewhere) print(`not run: tests of ${name}: ${command}`)
}

function isOnPath(program) {
  return spawnSync(program, ['--version']).error === undefined
}

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
