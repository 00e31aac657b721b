// Skipped tests, and the programs that they need. Runs on every Node.js version with which the workspace can be installed.
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { readTestFiles } from './test-results.mjs'

// How the test source names them, whether they are missing, and how to install them.
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
    guard: /chromium/i,
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

/** Returns the names of the installed programs. A suite that was skipped without one runs again when it is there. */
export function installedPrograms() {
  return programs.filter(({ isMissing }) => !isMissing()).map(({ name }) => name)
}

/**
 * Prints a line for each file with tests that need a program that is not installed.
 *
 * @param folders - folders whose tests are reported; all if empty
 */
export function printSkippedTests(folders = []) {
  for (const { path, tests } of readTestFiles()) {
    if (folders.length > 0 && !folders.some((folder) => path.startsWith(`${folder}/`))) continue
    const count = tests.filter(({ status }) => ['skipped', 'pending'].includes(status)).length
    if (count === 0) continue
    const source = readFileSync(path, 'utf8')
    const missing = programs.find(({ guard, isMissing }) => guard.test(source) && isMissing())
    if (!missing) continue
    const line = `skipped: ${path}, ${count} tests without ${missing.name}: ${missing.command}`
    process.stdout.write(`${line}\n`)
  }
}

function isOnPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}
