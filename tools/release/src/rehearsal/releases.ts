import { packagesIn } from '@fairlead/release-gate'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { observeProgram } from '../run-program.ts'
import type { SpecChange } from './changes.ts'
import type { Clone } from './clone.ts'
import { expectedVersions, type Versions, versionTable } from './expected-versions.ts'
import type { PublishedPackage, Registry } from './registry.ts'
import type { Stage } from './stage.ts'
import { faultsOf } from './tarball.ts'
import { runAsUser } from './user.ts'

/** The environment of a rehearsal. */
export interface Scene {
  readonly folder: string
  readonly clone: Clone
  readonly registry: Registry
  readonly stage: Stage
  /** The published packages. */
  readonly names: readonly string[]
}

const passed = 0
const missing = 2

/** Releases the current state, as a baseline for comparisons. */
export async function releaseBaseline(scene: Scene): Promise<void> {
  const { clone, stage } = scene
  stage.heading('the baseline')
  if ((await clone.changesets()).length > 0) {
    await clone.script('release:version')
    await clone.commit('Release the baseline')
  }
  await publish(scene, 'release')
  const versions = await latestVersions(scene)
  stage.need(
    scene.names.every((name) => versions.get(name) === versionsIn(clone).get(name)),
    'all packages are published in the versions that the repository has',
  )
}

/** Takes one change from the specification to a user, and checks every step. */
export async function releaseChange(scene: Scene, change: SpecChange): Promise<void> {
  const { clone, stage } = scene
  stage.heading(change.name)
  await review(scene, change)
  const before = await latestVersions(scene)
  await canary(scene, change, before)
  await clone.script('release:version')
  await clone.commit(`Release: ${change.name}`)
  await publish(scene, 'release')
  const after = await latestVersions(scene)
  const expected = expectedVersions(before, change)
  stage.say(`\n${versionTable(before, after, expected)}\n`)
  stage.check(
    scene.names.every((name) => after.get(name) === expected.get(name)),
    'the right packages moved, to the right versions',
  )
  await inspect(scene, change, before, after)
  await use(scene, change, after)
}

/** Runs the steps of a pull request, up to the merge. */
async function review(scene: Scene, change: SpecChange): Promise<void> {
  const { clone, stage } = scene
  const { family } = change.spec
  await clone.git('checkout', '--quiet', '-b', `change-${family}`)
  await change.edit(clone.root)
  await refusals(scene, change)
  const report = await observeProgram(clone.root, 'node', 'tools/spec-diff/src/main.ts', '--base', 'main')
  stage.say(report.output)
  stage.check(report.output.includes(`## ${family}: `), 'the report for the reviewer names the family')
  await clone.commit(change.name)
  await clone.git('checkout', '--quiet', 'main')
  await clone.git('merge', '--quiet', '--ff-only', `change-${family}`)
}

/** Checks that the gate rejects changes with too small a bump, and fixes them. */
async function refusals({ clone, stage }: Scene, { demanded, tooLittle }: SpecChange): Promise<void> {
  const silent = await clone.observe('check:release', '--base', 'main')
  stage.say(silent.output)
  stage.check(silent.code === missing, 'the gate refuses the change without a changeset')
  const asked = demanded.filter((name) => silent.output.includes(`${name} needs a`))
  stage.check(asked.length === demanded.length, `it asks for ${demanded.join(' and ')}`)
  const releases = Object.entries(tooLittle).map(([name, bump]) => `'${name}': ${bump}`)
  if (releases.length > 0) {
    const file = join(clone.root, '.changeset/too-little.md')
    await writeFile(file, `---\n${releases.join('\n')}\n---\n\nChanged a little.\n`)
    const { code } = await clone.observe('check:release', '--base', 'main')
    stage.check(code === missing, `the gate refuses a changeset with ${releases.join(', ')}`)
    await rm(file)
  }
  const fixed = await clone.observe('check:release', '--base', 'main', '--fix')
  stage.say(fixed.output)
  stage.need(fixed.code === passed, 'with --fix it writes what is missing')
  const second = await clone.observe('check:release', '--base', 'main')
  stage.need(second.code === passed, 'and then it lets the change pass')
  const fresh = await clone.observe('check:codegen')
  stage.check(fresh.code === passed, 'the generated code is that of the specification')
}

/**
 * Checks that main is published as a canary while changesets are pending, and that only users who request it receive
 * it.
 */
async function canary(scene: Scene, change: SpecChange, before: Versions): Promise<void> {
  await publish(scene, 'canary')
  const found = await scene.registry.read(change.package)
  const tags = found?.['dist-tags']
  scene.stage.check(
    tags?.['canary']?.includes('-canary-') === true && tags['latest'] === before.get(change.package),
    `${change.package}@canary is ${tags?.['canary']}, and latest stays`,
  )
  await scene.clone.git('checkout', '--quiet', '.')
  await scene.clone.git('clean', '--quiet', '--force', '-d')
}

async function publish({ clone, registry, stage }: Scene, kind: 'release' | 'canary'): Promise<void> {
  const clean = await clone.observe('check:clean')
  stage.need(clean.code === passed, 'nothing in the clone is uncommitted')
  const packed = await clone.observe('release:pack')
  stage.say(packed.output)
  stage.need(packed.code === passed && packed.output.includes(`Packed: ${kind}`), `a ${kind} was packed`)
  const { output } = await observeProgram(clone.root, 'pnpm', 'config', 'get', '@fairlead:registry')
  const isOurs = output.split('\n').includes(`${registry.url}/`)
  stage.need(isOurs, 'our packages go to the registry of this machine')
  const published = await clone.observe('release:publish')
  stage.say(published.output)
  stage.need(published.code === passed, `the ${kind} was published`)
  if (kind === 'release') {
    const tagged = await clone.observe('release:tag')
    stage.say(tagged.output)
    stage.check(tagged.code === passed, 'its tags were pushed')
  }
}

/** Checks the published packages, and that no others were published. */
async function inspect(scene: Scene, change: SpecChange, before: Versions, after: Versions): Promise<void> {
  const { clone, registry, stage } = scene
  const tags = (await observeProgram(clone.root, 'git', 'ls-remote', '--tags', 'origin')).output
  for (const name of scene.names) {
    const version = after.get(name) ?? ''
    if (version === before.get(name)) continue
    const found = ((await registry.read(name)) as PublishedPackage).versions[version]
    if (!found) continue
    const faults = await faultsOf(name, found, scene.folder)
    stage.check(
      faults.length === 0,
      `the tarball of ${name}@${version} is clean${faults.map((one) => `; ${one}`).join('')}`,
    )
    stage.check(tags.includes(`refs/tags/${name}@${version}\n`), `the tag ${name}@${version} was pushed`)
    const ranges = Object.entries(found.dependencies ?? {}).filter(([other]) =>
      other.startsWith('@fairlead/'),
    )
    stage.check(
      ranges.every(([other, range]) => range === `^${after.get(other)}`),
      `it depends on ${ranges.map((range) => range.join('@')).join(', ') || 'none of ours'}`,
    )
    const spec = packagesIn(clone.root).get(name)?.manifest.spec
    stage.check(
      found.spec?.version === spec?.version,
      spec ? `its specification is ${spec.family} ${found.spec?.version}` : 'it has no specification',
    )
  }
  const family = (await registry.read(change.package))?.versions
  const specs = [before, after].map((versions) => family?.[versions.get(change.package) ?? '']?.spec?.version)
  stage.check(
    specs[0] !== specs[1],
    `the specification of ${change.spec.family} went from ${specs.join(' to ')}`,
  )
}

/** Checks what a user receives who installs the facade and the new version of the family. */
async function use({ folder, registry, stage }: Scene, change: SpecChange, after: Versions): Promise<void> {
  const wanted = ['@fairlead/sdk', change.package].map((name) => `${name}@${after.get(name)}`)
  const project = join(folder, `user-of-${change.spec.family}`)
  const printed = await runAsUser(project, registry.settings, wanted, change.program)
  const why = printed === 'ok' ? '' : `: ${printed}`
  stage.check(printed === 'ok', `a program of a user runs with ${wanted.join(' and ')}${why}`)
}

async function latestVersions({ registry, names }: Scene): Promise<Versions> {
  const found = await Promise.all(names.map(async (name) => [name, await registry.read(name)] as const))
  return new Map(found.map(([name, one]) => [name, one?.['dist-tags']['latest'] ?? 'none']))
}

function versionsIn({ root }: Clone): Versions {
  return new Map([...packagesIn(root)].map(([name, { version }]) => [name, version]))
}
