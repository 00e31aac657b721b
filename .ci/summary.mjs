// Adds up what the test runners of all packages reported, and prints `N passed, N failed` as the last line.
// Runs on any Node that the clone was made for, also when the installation failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs'

let passed = 0
let failed = 0
for (const folder of ['packages', 'tools', 'tests']) {
  for (const name of readdirSync(folder)) {
    const file = `${folder}/${name}/.results/vitest.json`
    if (!existsSync(file)) continue
    const results = JSON.parse(readFileSync(file, 'utf8'))
    passed += results.numPassedTests
    failed += results.numFailedTests
  }
}
// A lint, type or packaging check that failed is no test, but it must not read as a clean run.
if (process.argv[2] !== '0' && failed === 0) failed = 1
process.stdout.write(`${passed} passed, ${failed} failed\n`)
