import { packagesIn } from '@fairlead/release-gate'
import type { GithubTarget } from '@fairlead/spec-diff/github'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gitVariables, requireCleanTree } from './git.ts'
import { openReleaseRequest } from './release-request.ts'
import { releaseText } from './release-text.ts'
import { runProgram } from './run-program.ts'
import { hasPendingChangesets } from './pending-changesets.ts'

const usage = `Raises the versions as the changesets require, and writes the changelogs.

  node tools/release/src/version.ts [--open]

  --open   push the result to the branch release/next and open a pull request, or update the open one;
           requires a clean working tree, and GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN in the environment
`

const root = resolve(import.meta.dirname, '../../..')
const branch = 'release/next'

const options = {
  open: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

async function run(): Promise<string> {
  const { values } = parseArgs({ options })
  if (values.help) return usage
  const target = values.open ? readTarget() : undefined
  if (target) await requireCleanTree(root)
  if (!(await hasPendingChangesets(root))) return 'No changesets are pending.\n'
  const before = packagesIn(root)
  await runProgram(root, 'changeset', 'version')
  const text = await releaseText(before, packagesIn(root))
  if (!target) return text.body
  Object.assign(process.env, gitVariables(target.token))
  await runProgram(root, 'git', 'checkout', '--quiet', '-B', branch)
  await runProgram(root, 'git', 'add', '--all')
  await runProgram(root, 'git', 'commit', '--quiet', '--message', text.title)
  await runProgram(root, 'git', 'push', '--quiet', '--force', 'origin', branch)
  const outcome = await openReleaseRequest(target, { branch, base: 'main', ...text })
  return `The pull request was ${outcome}.\n`
}

function readTarget(): GithubTarget {
  return {
    api: variable('GITHUB_API_URL'),
    repository: variable('GITHUB_REPOSITORY'),
    token: variable('GITHUB_TOKEN'),
  }
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
