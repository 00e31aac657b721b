import { readChangesets } from '@changesets/read'
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { runProgram } from './run-program.ts'

// Builds and packs into .release/ what the registry does not have yet: a canary while changesets wait, else the release.
// The versions of a canary stay in the working tree: run it where that does no harm.

/** What was packed. */
type Kind = 'release' | 'canary' | 'none'

/** The file in which changesets keep what is to be published, in chunks of packages that depend on earlier ones only. */
interface PublishPlan {
  readonly version: number
  readonly plan: readonly (readonly { readonly kind: string; readonly version: string }[])[]
}

const root = resolve(import.meta.dirname, '../../..')
const folder = join(root, '.release')
const planFile = join(folder, 'plan.json')

async function pack(): Promise<Kind> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  const isCanary = (await readChangesets(root)).length > 0
  if (isCanary) await runProgram(root, 'changeset', 'version', '--snapshot', 'canary')
  await runProgram(root, 'changeset', 'publish-plan', '--output', planFile)
  const found = JSON.parse(await readFile(planFile, 'utf8')) as PublishPlan
  const plan = isCanary ? canaryOf(found) : found
  await writeFile(planFile, JSON.stringify(plan))
  const isEmpty = plan.plan.flat().every(({ kind }) => kind !== 'publish')
  if (isEmpty) return 'none'
  await runProgram(root, 'turbo', 'run', 'build', '--filter=./packages/*', '--output-logs=errors-only')
  await runProgram(root, 'changeset', 'pack', '--from-publish-plan', planFile, '--out-dir', folder)
  return isCanary ? 'canary' : 'release'
}

// Nobody gets a canary who did not ask for one; and a version that is to be released is not published by one.
function canaryOf({ version, plan }: PublishPlan): PublishPlan {
  const canaries = plan.map((chunk) => chunk.filter((one) => one.version.includes('-canary-')))
  return {
    version,
    plan: canaries
      .filter((chunk) => chunk.length > 0)
      .map((chunk) => chunk.map((one) => ({ ...one, tag: 'canary' }))),
  }
}

const kind = await pack()
process.stdout.write(`Packed: ${kind}\n`)
const output = process.env['GITHUB_OUTPUT']
if (output !== undefined) await appendFile(output, `kind=${kind}\n`)
