// Adds up what the test runners of all packages reported: names what failed and prints
// `N passed, N failed` as the last line. Runs on any Node that the clone was made for, also when the installation failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

let passed = 0
let failed = 0
const grouped = ['packages', 'tools', 'tests'].flatMap((folder) =>
  readdirSync(folder).map((name) => `${folder}/${name}`),
)
for (const place of [...grouped, 'docs', 'benchmarks']) {
  const file = `${place}/.results/vitest.json`
  if (!existsSync(file)) continue
  const results = JSON.parse(readFileSync(file, 'utf8'))
  passed += results.numPassedTests
  failed += results.numFailedTests
  for (const suite of results.testResults) tell(place, suite)
}
// A lint, type or packaging check that failed is no test, but it must not read as a clean run.
if (process.argv[2] !== '0' && failed === 0) failed = 1
process.stdout.write(`${passed} passed, ${failed} failed\n`)

function tell(place, suite) {
  const file = `${place}${suite.name.split(place).at(-1)}`
  if (suite.status === 'failed' && suite.message) say('failed', file, suite.message)
  for (const { status, fullName, failureMessages } of suite.assertionResults) {
    const [message] = failureMessages ?? []
    if (status === 'failed') say('failed', `${file}: ${fullName}`, message ?? '')
  }
}

function say(what, where, message) {
  process.stdout.write(`${what}: ${where}: ${message.split('\n')[0]}\n`)
}
