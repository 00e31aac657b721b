import { covers, type FamilyReport } from '@fairlead/spec-diff'
import { packagesIn } from './packages.ts'
import { newChangesets } from './pending-changesets.ts'
import { type Requirement, requirements } from './requirements.ts'
import { type LowVersion, lowVersions, unequalVersions } from './spec-versions.ts'
import { bumpBetween } from './version.ts'

/** A package whose changes are announced with too small a bump, or not at all. */
export interface Shortfall extends Requirement {
  readonly announced: Requirement['bump']
}

/** The result of the gate: what prevents a release. */
export interface GateResult {
  readonly families: readonly FamilyReport[]
  readonly requirements: readonly Requirement[]
  readonly shortfalls: readonly Shortfall[]
  readonly lowVersions: readonly LowVersion[]
  /** Sentences about all other problems. */
  readonly problems: readonly string[]
}

/**
 * Checks whether changesets and versions announce the changes between two checkouts.
 *
 * @param families - the changes of the specifications
 * @throws Error when a changeset cannot be read
 */
export async function checkGate(
  base: string,
  head: string,
  families: readonly FamilyReport[],
): Promise<GateResult> {
  const required = requirements(base, head, families)
  const announced = await newChangesets(base, head)
  const [before, after] = [packagesIn(base), packagesIn(head)]
  const shortfalls = required
    .map((requirement) => {
      const [old, now] = [before.get(requirement.name)?.version, after.get(requirement.name)?.version]
      // A release pull request no longer contains changesets, but the resulting versions.
      const released = old === undefined || now === undefined ? 'none' : bumpBetween(old, now)
      const declared = announced.get(requirement.name) ?? 'none'
      return { ...requirement, announced: covers(declared, released) ? declared : released }
    })
    .filter((shortfall) => !covers(shortfall.announced, shortfall.bump))
  return {
    families,
    requirements: required,
    shortfalls,
    lowVersions: lowVersions(families),
    problems: [...unpublished(announced.keys(), after), ...unequalVersions(head, families)],
  }
}

function unpublished(names: Iterable<string>, packages: ReturnType<typeof packagesIn>): readonly string[] {
  return [...names]
    .filter((name) => packages.get(name)?.isPublished !== true)
    .map((name) => `A changeset names ${name}, which is not a published package.`)
}

/** Whether nothing prevents a release. */
export function passes({ shortfalls, lowVersions: low, problems }: GateResult): boolean {
  return shortfalls.length === 0 && low.length === 0 && problems.length === 0
}
