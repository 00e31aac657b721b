import { packageText, specificationText } from './changeset-text.ts'
import type { Shortfall, GateResult } from './gate.ts'

/** A missing changeset. */
export interface PlannedChangeset {
  readonly releases: readonly { readonly name: string; readonly type: Shortfall['bump'] }[]
  readonly summary: string
}

/** Returns the changesets that would fix all shortfalls: one per changed specification, and one per other package. */
export function plannedChangesets({ shortfalls, families }: GateResult): readonly PlannedChangeset[] {
  const open = new Set(shortfalls)
  const ofFamilies = families.flatMap((family): readonly PlannedChangeset[] => {
    const ofFamily = [...open].filter(({ reasons }) =>
      reasons.some((reason) => reason.family === family.family),
    )
    for (const shortfall of ofFamily) open.delete(shortfall)
    return ofFamily.length === 0
      ? []
      : [{ releases: ofFamily.map(release), summary: specificationText(family) }]
  })
  const others = [...open].map((shortfall) => ({
    releases: [release(shortfall)],
    summary: packageText(shortfall.bump, shortfall.reasons),
  }))
  return [...ofFamilies, ...others]
}

function release({ name, bump }: Shortfall): PlannedChangeset['releases'][number] {
  return { name, type: bump }
}
