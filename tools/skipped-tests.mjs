// Reports skipped tests. Runs on every Node.js version with which the workspace can be installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readTestFiles } from './test-results.mjs'

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
  return spawnSync(program, ['--version']).error === undefined
}
