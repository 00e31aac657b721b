import { node } from '@fairlead/toolchains'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { clientFolders, workspaceRoot } from './packed-package.ts'

const usage = `Runs the unit tests of the clients on another Node than the one that the project runs on.

  npm run test:clients -- --node 22
`

const options = {
  node: { type: 'string', default: '24' },
  help: { type: 'boolean', short: 'h', default: false },
} as const

function run(): void {
  const { values } = parseArgs({ options })
  if (values.help) {
    process.stdout.write(usage)
    return
  }
  const program = node(values.node)
  if (program === undefined) throw new Error(`Node ${values.node} is not installed on this system`)
  const failed = clientFolders.filter((client) => {
    process.stdout.write(`\n${client} on Node ${values.node}\n`)
    const cwd = join(workspaceRoot, 'packages', client)
    // Without the results file, which belongs to the main test run.
    const args = [join(cwd, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=default']
    return spawnSync(program, args, { cwd, stdio: 'inherit' }).status !== 0
  })
  if (failed.length > 0) throw new Error(`\nfailed on Node ${values.node}: ${failed.join(', ')}`)
}

try {
  run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
