// Adds up what the test runners of all packages reported: names what failed and prints
// `N passed, N failed` as the last line. Runs on any Node that the clone was made for, also when the installation failed.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readTestFiles } from '../tools/test-results.mjs'

const runs = '.turbo/runs'
const shownLines = 30

for (const { taskId, logFile } of failedTasks()) {
  const log = existsSync(logFile) ? readFileSync(logFile, 'utf8').trimEnd() : ''
  print(`failed: ${taskId}\n${log.split('\n').slice(-shownLines).join('\n')}`)
}
let passed = 0
let failed = 0
for (const { path, error, tests } of readTestFiles()) {
  if (error) print(`failed: ${path}: ${firstLine(error)}`)
  for (const { status, fullName, failureMessages } of tests) {
    if (status === 'passed') passed += 1
    if (status !== 'failed') continue
    failed += 1
    print(`failed: ${path}: ${fullName}: ${firstLine(failureMessages?.[0] ?? '')}`)
  }
}
// A lint, type or packaging check that failed is no test, but it must not read as a clean run.
if (process.argv[2] !== '0' && failed === 0) failed = 1
print(`${passed} passed, ${failed} failed`)

/** The tasks that exited with an error, from the summaries that turbo wrote. */
function failedTasks() {
  if (!existsSync(runs)) return []
  return readdirSync(runs)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(runs, name), 'utf8')).tasks)
    .filter(({ execution }) => execution?.exitCode > 0)
}

function firstLine(text) {
  return text.split('\n')[0]
}

function print(line) {
  process.stdout.write(`${line}\n`)
}
