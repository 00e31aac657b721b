import { packagesIn } from '@fairlead/release-gate'
import { resolve } from 'node:path'
import { gitVariables } from './git.ts'
import { missingTags } from './missing-tags.ts'
import { observeProgram, runProgram } from './run-program.ts'

// Tags the versions of all published packages and pushes the tags, with GITHUB_TOKEN if it is set.

const root = resolve(import.meta.dirname, '../../..')

async function tag(): Promise<void> {
  Object.assign(process.env, gitVariables(process.env['GITHUB_TOKEN']))
  await runProgram(root, 'changeset', 'git-tag')
  await runProgram(root, 'git', 'push', '--quiet', 'origin', '--tags')
  // Changesets continues when git rejects a tag.
  const { code, output } = await observeProgram(root, 'git', 'ls-remote', '--tags', 'origin')
  const missing = missingTags(packagesIn(root), output)
  if (code !== 0 || missing.length > 0)
    throw new Error(`These tags are missing on origin: ${missing.join(', ')}`)
}

try {
  await tag()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
