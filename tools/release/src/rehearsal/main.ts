import { packagesIn } from '@fairlead/release-gate'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { observeProgram } from '../run-program.ts'
import { specChanges } from './changes.ts'
import { cloneRepository } from './clone.ts'
import { type Registry, startRegistry } from './registry.ts'
import { releaseBaseline, releaseChange } from './releases.ts'
import { createStage } from './stage.ts'
import { rehearsalEnvironment } from './environment.ts'

const usage = `Releases three changes of specifications to a registry on this machine, from the last commit.

  npm run rehearsal [-- --keep]

  --keep   do not delete the clone and the data of the registry

Exits with 0 when all checks pass, and with 1 otherwise.
`

const source = resolve(import.meta.dirname, '../../../..')

const options = {
  keep: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

async function run(): Promise<number> {
  const { values } = parseArgs({ options })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  const faults = await rehearse(values.keep)
  process.stdout.write(faults.length === 0 ? '\nAll checks passed.\n' : `\n${faults.join('\n')}\n`)
  return faults.length === 0 ? 0 : 1
}

async function rehearse(keep: boolean): Promise<readonly string[]> {
  process.env = rehearsalEnvironment(process.env)
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-rehearsal-'))
  const stage = createStage()
  stage.heading('a registry and a clone')
  let registry: Registry | undefined
  try {
    registry = await startRegistry(join(folder, 'registry'))
    const { output } = await observeProgram(source, 'git', 'status', '--porcelain')
    if (output !== '') stage.print('The working tree has changes. They are not part of the rehearsal.')
    const clone = await cloneRepository(source, folder, registry.settings)
    const names = [...packagesIn(clone.root).values()].filter(({ isPublished }) => isPublished)
    const rehearsal = { folder, clone, registry, stage, names: names.map(({ name }) => name) }
    await releaseBaseline(rehearsal)
    for (const change of specChanges) await releaseChange(rehearsal, change)
    return stage.faults
  } finally {
    await registry?.stop()
    if (keep) process.stdout.write(`\nThe files are in ${folder}\n`)
    else await rm(folder, { recursive: true, force: true })
  }
}

try {
  process.exitCode = await run()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
