import { readChangesets } from '@changesets/read'
import { packagesIn } from '@fairlead/release-gate'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openReleaseRequest } from './release-request.ts'
import { releaseText } from './release-text.ts'
import { runProgram } from './run-program.ts'

const usage = `Raises the versions that changesets ask for, and writes the changelogs.

  node tools/release/src/version.ts [--open]

  --open   push the result to the branch release/next and open a pull request with it, or renew the one that is open;
           takes GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN from the environment
`

const root = resolve(import.meta.dirname, '../../..')
const branch = 'release/next'
const author = ['-c', 'user.name=Fairlead release', '-c', 'user.email=release@fairlead.dev']

const { values } = parseArgs({
  options: {
    open: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

async function run(): Promise<string> {
  if (values.help) return usage
  if ((await readChangesets(root)).length === 0) return 'Nothing waits for a release.\n'
  const before = packagesIn(root)
  await runProgram(root, 'changeset', 'version')
  const text = await releaseText(before, packagesIn(root))
  if (!values.open) return text.body
  const place = {
    api: variable('GITHUB_API_URL'),
    repository: variable('GITHUB_REPOSITORY'),
    token: variable('GITHUB_TOKEN'),
  }
  await runProgram(root, 'git', 'checkout', '--quiet', '-B', branch)
  await runProgram(root, 'git', 'add', '--all')
  await runProgram(root, 'git', ...author, 'commit', '--quiet', '--message', text.title)
  await runProgram(root, 'git', 'push', '--quiet', '--force', 'origin', branch)
  const happened = await openReleaseRequest(place, { branch, base: 'main', ...text })
  return `The pull request was ${happened}.\n`
}

function variable(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${name} must be set`)
  return value
}

try {
  process.stdout.write(await run())
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
