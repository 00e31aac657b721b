import { raiseVersion, scaleBump } from '@fairlead/release-gate'
import type { SpecChange } from './changes.ts'

/** Versions by package name. */
export type Versions = ReadonlyMap<string, string>

/** Whether the caret range of a version excludes the version after a bump. */
function leavesRange(version: string, bump: SpecChange['bump']): boolean {
  return bump === 'major' || (bump === 'minor' && version.startsWith('0.'))
}

/** Determines the version of each package after a change, by the release rules. */
export function expectedVersions(
  before: Versions,
  { package: changed, bump, bumps, dependents }: SpecChange,
): Versions {
  const follow = leavesRange(before.get(changed) ?? '', bump) ? dependents : []
  return new Map(
    [...before].map(([name, version]) => {
      const ownBump = bumps[name] ?? (follow.includes(name) ? 'patch' : 'none')
      return [name, raiseVersion(version, scaleBump(ownBump, version))]
    }),
  )
}

/** Formats a table of the actual and the expected version changes. */
export function versionTable(before: Versions, after: Versions, expected: Versions): string {
  const rows = [...before.keys()].map((name) => [
    name,
    before.get(name) ?? '',
    after.get(name) ?? '',
    expected.get(name) ?? '',
    after.get(name) === expected.get(name) ? '' : 'WRONG',
  ])
  const all = [['package', 'before', 'after', 'expected', ''], ...rows]
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
