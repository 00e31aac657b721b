import { type Bump, type FamilyReport, highest } from '@fairlead/spec-diff'
import { compareSurfaces, type SurfaceChange } from './api/compare-surfaces.ts'
import { type Surface, surfaceOf } from './api/surface.ts'
import { manifestChanges } from './manifest-changes.ts'
import { bundledIn, entriesOf, type Package, packagesIn } from './packages.ts'
import type { Reason } from './reason.ts'
import { changedSources } from './source-files.ts'
import { scaleBump } from './version.ts'

/** How far the version of a package has to be raised. */
export interface Requirement {
  readonly name: string
  /** By the rules for its current version. */
  readonly bump: Bump
  readonly reasons: readonly Reason[]
}

interface Findings {
  readonly current: Package
  readonly reasons: Reason[]
  readonly api: readonly SurfaceChange[]
  readonly surface: Surface
}

/**
 * Determines how far each published package has to be raised.
 *
 * @param base - folder with the older `packages/`
 * @param head - folder with the newer `packages/`
 * @param families - the changes of the specifications
 */
export function requirements(
  base: string,
  head: string,
  families: readonly FamilyReport[],
): readonly Requirement[] {
  const before = packagesIn(base)
  const after = packagesIn(head)
  const published = [...after.values()].filter(({ isPublished }) => isPublished)
  const found = new Map<string, Findings>()
  for (const current of published) {
    const family = families.find((candidate) => candidate.package === current.name)
    const findings = findingsOf(before.get(current.name), current, family)
    for (const part of bundledIn(current, after)) findings.reasons.push(...bundledChange(before, part))
    found.set(current.name, findings)
  }
  for (const facade of found.values()) facade.reasons.push(...reexportedChanges(facade, found, families))
  return [...found.values()]
    .map(({ current, reasons }) => ({
      name: current.name,
      bump: scaleBump(
        highest(reasons.map(({ bump }) => bump)),
        before.get(current.name)?.version ?? current.version,
      ),
      reasons,
    }))
    .filter(({ bump }) => bump !== 'none')
}

function findingsOf(old: Package | undefined, current: Package, family: FamilyReport | undefined): Findings {
  const surface = surfaceOf(current.directory, entriesOf(current))
  if (!old)
    return { current, reasons: [{ bump: 'minor', description: 'The package is new.' }], api: [], surface }
  const files = changedSources(old.directory, current.directory)
  const isSpecChanged = family !== undefined && family.bump !== 'none'
  const api =
    files.length === 0
      ? []
      : compareSurfaces(surfaceOf(old.directory, entriesOf(old)), surface, !isSpecChanged)
  const reasons: Reason[] = [
    ...(isSpecChanged ? [specReason(family)] : []),
    ...api.map(({ bump, description }) => ({ bump, description })),
    ...manifestChanges(old.manifest, current.manifest),
  ]
  const isUnexplained = files.length > 0 && reasons.length === 0
  if (isUnexplained) reasons.push({ bump: 'patch', description: `${listed(files)} changed.` })
  return { current, reasons, api, surface }
}

function specReason({ family, bump, documents }: FamilyReport): Reason {
  const changes = documents.flatMap((document) => document.changes)
  const counts = (['breaking', 'changed', 'added', 'deprecated', 'words'] as const)
    .map((category) => [category, changes.filter((change) => change.category === category).length] as const)
    .filter(([, count]) => count > 0)
    .map(([category, count]) => `${count} ${category}`)
  return { bump, description: `The specification of ${family} changed: ${counts.join(', ')}.`, family }
}

// A private package is not versioned separately.
function bundledChange(
  before: ReadonlyMap<string, Package>,
  { name, directory }: Package,
): readonly Reason[] {
  const files = changedSources(before.get(name)?.directory, directory)
  return files.length === 0
    ? []
    : [{ bump: 'patch', description: `${name}, which it contains, changed: ${listed(files)}.` }]
}

/** Re-exports are part of the package's own API, but changesets would raise it only by a patch. */
function reexportedChanges(
  { surface }: Findings,
  found: ReadonlyMap<string, Findings>,
  families: readonly FamilyReport[],
): readonly Reason[] {
  const reasons: Reason[] = []
  for (const [name, source] of found) {
    const names = reexportedFrom(surface, name)
    if (names.size === 0) continue
    const exportsAll = names.has('*')
    const family = families.find((candidate) => candidate.package === name)
    if (family?.bump === 'major' || (family?.bump === 'minor' && exportsAll))
      reasons.push({
        bump: family.bump,
        description: `It exports types of ${name}, and the specification of ${family.family} changed.`,
        family: family.family,
      })
    for (const change of exportedChanges(source, found))
      if (change.bump !== 'patch' && (exportsAll || names.has(change.name)))
        reasons.push({ bump: change.bump, description: `It exports from ${name}: ${change.description}` })
  }
  return reasons
}

// Changes for users who import from a package: its own exports, and its re-exports.
function exportedChanges(
  { api, surface }: Findings,
  found: ReadonlyMap<string, Findings>,
): readonly SurfaceChange[] {
  const passed = [...found].flatMap(([name, source]) => {
    const names = reexportedFrom(surface, name)
    if (names.size === 0) return []
    return exportedChanges(source, found).filter((change) => names.has('*') || names.has(change.name))
  })
  return [...api, ...passed]
}

function reexportedFrom({ reexports }: Surface, name: string): ReadonlySet<string> {
  const entries = [...reexports].filter(([from]) => from === name || from.startsWith(`${name}/`))
  return new Set(entries.flatMap(([, names]) => [...names]))
}

const maxFiles = 3

function listed(files: readonly string[]): string {
  const more = files.length > maxFiles ? ` and ${files.length - maxFiles} more` : ''
  return `${files.slice(0, maxFiles).join(', ')}${more}`
}
