import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { requireCleanTree } from './git.ts'
import { canariesOf, type PublishPlan, hasPublications } from './publish-plan.ts'
import { runProgram } from './run-program.ts'
import { hasPendingChangesets } from './pending-changesets.ts'

// Builds the versions that the registry does not have yet, and packs them into .release/: the versions of main,
// regardless of pending changesets. If all of those are published and changesets are pending, it packs a canary. The
// canary versions remain in the working tree, so run this only where that does no harm.

/** The kind of packed versions. */
type Kind = 'release' | 'canary' | 'none'

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, '.release')
const planFile = join(folder, 'plan.json')

async function pack(): Promise<Kind> {
  await requireCleanTree(root)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  const kind = await plan()
  if (kind === 'none') return kind
  await runProgram(root, 'turbo', 'run', 'build', '--filter=./packages/*', '--output-logs=errors-only')
  await runProgram(root, 'changeset', 'pack', '--from-publish-plan', planFile, '--out-dir', folder)
  return kind
}

/** Writes the plan of the packages to pack. */
async function plan(): Promise<Kind> {
  if (hasPublications(await writePlan())) return 'release'
  if (!(await hasPendingChangesets(root))) return 'none'
  await runProgram(root, 'changeset', 'version', '--snapshot', 'canary')
  const canaries = canariesOf(await writePlan())
  await writeFile(planFile, JSON.stringify(canaries))
  return hasPublications(canaries) ? 'canary' : 'none'
}

async function writePlan(): Promise<PublishPlan> {
  await runProgram(root, 'changeset', 'publish-plan', '--output', planFile)
  return JSON.parse(await readFile(planFile, 'utf8')) as PublishPlan
}

try {
  const kind = await pack()
  process.stdout.write(`Packed: ${kind}\n`)
  const output = process.env['GITHUB_OUTPUT']
  if (output !== undefined) await appendFile(output, `kind=${kind}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
