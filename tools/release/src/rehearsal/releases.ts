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
export interface Rehearsal {
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
export async function releaseBaseline(rehearsal: Rehearsal): Promise<void> {
  const { clone, stage } = rehearsal
  stage.heading('the baseline')
  if ((await clone.changesets()).length > 0) {
    await clone.script('release:version')
    await clone.commit('Release the baseline')
  }
  await publish(rehearsal, 'release')
  const versions = await latestVersions(rehearsal)
  stage.require(
    rehearsal.names.every((name) => versions.get(name) === versionsIn(clone).get(name)),
    'all packages are published with the versions of the repository',
  )
}

/** Takes one change from the specification to a user, and checks every step. */
export async function releaseChange(rehearsal: Rehearsal, change: SpecChange): Promise<void> {
  const { clone, stage } = rehearsal
  stage.heading(change.name)
  await review(rehearsal, change)
  const before = await latestVersions(rehearsal)
  await checkCanary(rehearsal, change, before)
  await clone.script('release:version')
  await clone.commit(`Release: ${change.name}`)
  await publish(rehearsal, 'release')
  const after = await latestVersions(rehearsal)
  const expected = expectedVersions(before, change)
  stage.print(`\n${versionTable(before, after, expected)}\n`)
  stage.check(
    rehearsal.names.every((name) => after.get(name) === expected.get(name)),
    'the expected packages were raised to the expected versions',
  )
  await inspect(rehearsal, change, before, after)
  await checkUse(rehearsal, change, after)
}

/** Runs the steps of a pull request, up to the merge. */
async function review(rehearsal: Rehearsal, change: SpecChange): Promise<void> {
  const { clone, stage } = rehearsal
  const { family } = change.spec
  await clone.git('checkout', '--quiet', '-b', `change-${family}`)
  await change.edit(clone.root)
  await checkRejections(rehearsal, change)
  const report = await observeProgram(clone.root, 'node', 'tools/spec-diff/src/main.ts', '--base', 'main')
  stage.print(report.output)
  stage.check(report.output.includes(`## ${family}: `), 'the report for the reviewer names the family')
  await clone.commit(change.name)
  await clone.git('checkout', '--quiet', 'main')
  await clone.git('merge', '--quiet', '--ff-only', `change-${family}`)
}

/** Checks that the gate rejects changes with too small a bump, and fixes them. */
async function checkRejections(
  { clone, stage }: Rehearsal,
  { required, insufficient }: SpecChange,
): Promise<void> {
  const withoutChangeset = await clone.observe('check:release', '--base', 'main')
  stage.print(withoutChangeset.output)
  stage.check(withoutChangeset.code === missing, 'the gate rejects the change without a changeset')
  const reported = required.filter((name) => withoutChangeset.output.includes(`${name} needs a`))
  stage.check(reported.length === required.length, `it requires changesets for ${required.join(' and ')}`)
  const releases = Object.entries(insufficient).map(([name, bump]) => `'${name}': ${bump}`)
  if (releases.length > 0) {
    const file = join(clone.root, '.changeset/too-little.md')
    await writeFile(file, `---\n${releases.join('\n')}\n---\n\nChanged a little.\n`)
    const { code } = await clone.observe('check:release', '--base', 'main')
    stage.check(code === missing, `the gate rejects a changeset with ${releases.join(', ')}`)
    await rm(file)
  }
  const fixed = await clone.observe('check:release', '--base', 'main', '--fix')
  stage.print(fixed.output)
  stage.require(fixed.code === passed, 'with --fix it writes the missing changesets and versions')
  const second = await clone.observe('check:release', '--base', 'main')
  stage.require(second.code === passed, 'and then the change passes')
  const codegen = await clone.observe('check:codegen')
  stage.check(codegen.code === passed, 'the generated code matches the specification')
}

/**
 * Checks that main is published as a canary while changesets are pending, and that only users who request it receive
 * it.
 */
async function checkCanary(rehearsal: Rehearsal, change: SpecChange, before: Versions): Promise<void> {
  await publish(rehearsal, 'canary')
  const found = await rehearsal.registry.read(change.package)
  const tags = found?.['dist-tags']
  rehearsal.stage.check(
    tags?.['canary']?.includes('-canary-') === true && tags['latest'] === before.get(change.package),
    `${change.package}@canary is ${tags?.['canary']}, and latest stays`,
  )
  await rehearsal.clone.git('checkout', '--quiet', '.')
  await rehearsal.clone.git('clean', '--quiet', '--force', '-d')
}

async function publish({ clone, registry, stage }: Rehearsal, kind: 'release' | 'canary'): Promise<void> {
  const clean = await clone.observe('check:clean')
  stage.require(clean.code === passed, 'nothing in the clone is uncommitted')
  const packed = await clone.observe('release:pack')
  stage.print(packed.output)
  stage.require(packed.code === passed && packed.output.includes(`Packed: ${kind}`), `a ${kind} was packed`)
  const { output } = await observeProgram(clone.root, 'pnpm', 'config', 'get', '@fairlead:registry')
  const isLocal = output.split('\n').includes(`${registry.url}/`)
  stage.require(isLocal, 'our packages go to the registry of this machine')
  const published = await clone.observe('release:publish')
  stage.print(published.output)
  stage.require(published.code === passed, `the ${kind} was published`)
  if (kind === 'release') {
    const tagged = await clone.observe('release:tag')
    stage.print(tagged.output)
    stage.check(tagged.code === passed, 'its tags were pushed')
  }
}

/** Checks the published packages, and that no others were published. */
async function inspect(
  rehearsal: Rehearsal,
  change: SpecChange,
  before: Versions,
  after: Versions,
): Promise<void> {
  const { clone, registry, stage } = rehearsal
  const tags = (await observeProgram(clone.root, 'git', 'ls-remote', '--tags', 'origin')).output
  for (const name of rehearsal.names) {
    const version = after.get(name) ?? ''
    if (version === before.get(name)) continue
    const found = ((await registry.read(name)) as PublishedPackage).versions[version]
    if (!found) continue
    const faults = await faultsOf(name, found, rehearsal.folder)
    stage.check(
      faults.length === 0,
      `the tarball of ${name}@${version} is clean${faults.map((fault) => `; ${fault}`).join('')}`,
    )
    stage.check(tags.includes(`refs/tags/${name}@${version}\n`), `the tag ${name}@${version} was pushed`)
    const ranges = Object.entries(found.dependencies ?? {}).filter(([dependency]) =>
      dependency.startsWith('@fairlead/'),
    )
    stage.check(
      ranges.every(([dependency, range]) => range === `^${after.get(dependency)}`),
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
async function checkUse(
  { folder, registry, stage }: Rehearsal,
  change: SpecChange,
  after: Versions,
): Promise<void> {
  const requested = ['@fairlead/sdk', change.package].map((name) => `${name}@${after.get(name)}`)
  const project = join(folder, `user-of-${change.spec.family}`)
  const printed = await runAsUser(project, registry.settings, requested, change.program)
  const detail = printed === 'ok' ? '' : `: ${printed}`
  stage.check(printed === 'ok', `a program of a user runs with ${requested.join(' and ')}${detail}`)
}

async function latestVersions({ registry, names }: Rehearsal): Promise<Versions> {
  const found = await Promise.all(names.map(async (name) => [name, await registry.read(name)] as const))
  return new Map(found.map(([name, published]) => [name, published?.['dist-tags']['latest'] ?? 'none']))
}

function versionsIn({ root }: Clone): Versions {
  return new Map([...packagesIn(root)].map(([name, { version }]) => [name, version]))
}
