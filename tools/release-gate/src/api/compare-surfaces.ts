import { type Bump, bumps } from '@fairlead/spec-diff'
import { rateShapes } from './rate-shapes.ts'
import type { Surface } from './surface.ts'

/** A change of the exports of a package. */
export interface SurfaceChange {
  readonly bump: Bump
  /** The name that users import, without its entry. For a part of exported declarations, the name of the part. */
  readonly name: string
  readonly description: string
}

/**
 * Lists the changes that users of a package see.
 *
 * @param isGeneratedRated - false if the comparison of specifications already covers the generated declarations
 */
export function compareSurfaces(
  before: Surface,
  after: Surface,
  isGeneratedRated: boolean,
): readonly SurfaceChange[] {
  const changes: SurfaceChange[] = []
  for (const [key, old] of before.declarations) {
    if (old.isGenerated && !isGeneratedRated) continue
    const now = after.declarations.get(key)
    const name = key.slice(key.indexOf('#') + 1)
    const subject = old.isExported
      ? `\`${name}\`${entryOf(key)}`
      : `\`${name}\`, which exported declarations use,`
    if (!now) {
      // A removed part is reported with the declaration that used it.
      if (old.isExported)
        changes.push({ bump: 'major', name, description: `${subject} is no longer exported.` })
      continue
    }
    const bump = rateShapes(old.shape, now.shape, old.isInput || now.isInput)
    if (bump !== 'none') changes.push({ bump, name, description: `${subject} changed.` })
  }
  for (const [key, now] of after.declarations) {
    if (before.declarations.has(key) || !now.isExported || (now.isGenerated && !isGeneratedRated)) continue
    const name = key.slice(key.indexOf('#') + 1)
    changes.push({ bump: 'minor', name, description: `\`${name}\`${entryOf(key)} was added.` })
  }
  for (const [from, names] of before.reexports) {
    const removed = [...names].filter((name) => !after.reexports.get(from)?.has(name))
    if (after.reexports.get(from)?.has('*')) continue
    for (const name of removed)
      changes.push({ bump: 'major', name, description: `\`${name}\` of ${from} is no longer exported.` })
  }
  for (const [from, names] of after.reexports) {
    const added = [...names].filter((name) => !before.reexports.get(from)?.has(name))
    for (const name of added)
      changes.push({ bump: 'minor', name, description: `\`${name}\` of ${from} was added.` })
  }
  return changes.toSorted((a, b) => bumps.indexOf(b.bump) - bumps.indexOf(a.bump))
}

function entryOf(key: string): string {
  const entry = key.slice(0, key.indexOf('#'))
  return entry === '.' ? '' : ` of \`${entry}\``
}
