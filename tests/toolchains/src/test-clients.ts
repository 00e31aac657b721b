import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { node } from './toolchains.ts'

// Runs the unit tests of the clients on another Node than the one that the project runs on.
//
//   node tests/toolchains/src/test-clients.ts --node 22

const clients = ['core', 'platform-client', 'evm-rpc', 'beacon', 'jetton', 'grpc-transport', 'grpc', 'sdk']
const root = resolve(import.meta.dirname, '../../..')

const { values } = parseArgs({ options: { node: { type: 'string', default: '24' } } })
const program = node(values.node)
if (program === undefined) throw new Error(`Node ${values.node} is not installed on this system`)

const failed = clients.filter((client) => {
  process.stdout.write(`\n${client} on Node ${values.node}\n`)
  const cwd = join(root, 'packages', client)
  // Without the file of results: it is of the test run that counts.
  const args = [join(cwd, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=default']
  return spawnSync(program, args, { cwd, stdio: 'inherit' }).status !== 0
})
if (failed.length > 0) {
  process.stderr.write(`\nfailed on Node ${values.node}: ${failed.join(', ')}\n`)
  process.exitCode = 1
}
