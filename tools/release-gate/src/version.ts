import type { Bump } from '@fairlead/spec-diff'

type Parts = readonly [number, number, number]

function partsOf(version: string): Parts {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(version)
  if (!match)
    throw new Error(`a version must be three numbers separated by dots, not ${JSON.stringify(version)}`)
  return [Number(match[1]), Number(match[2]), Number(match[3])]
}

/** Returns the bump that a version requires for a change: below 1.0 a breaking change raises the minor version. */
export function scaleBump(bump: Bump, version: string): Bump {
  return bump === 'major' && partsOf(version)[0] === 0 ? 'minor' : bump
}

/** The next version after a bump. */
export function raiseVersion(version: string, bump: Bump): string {
  const [major, minor, patch] = partsOf(version)
  switch (bump) {
    case 'major':
      return `${major + 1}.0.0`
    case 'minor':
      return `${major}.${minor + 1}.0`
    case 'patch':
      return `${major}.${minor}.${patch + 1}`
    case 'none':
      return version
    default:
      return bump satisfies never
  }
}

/** Whether a version is at least another version. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [a, b] = [partsOf(version), partsOf(minimum)]
  const index = a.findIndex((part, position) => part !== b[position])
  return index === -1 || (a[index] ?? 0) > (b[index] ?? 0)
}

/** Returns how far a version was raised, or `none`. */
export function bumpBetween(before: string, after: string): Bump {
  const [a, b] = [partsOf(before), partsOf(after)]
  if (!isAtLeast(after, before)) return 'none'
  const index = a.findIndex((part, position) => part !== b[position])
  return (['major', 'minor', 'patch'] as const)[index] ?? 'none'
}
