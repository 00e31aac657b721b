/** The file in which changesets stores the packages to publish, in chunks that depend only on earlier chunks. */
export interface PublishPlan {
  readonly version: number
  readonly plan: readonly (readonly { readonly kind: string; readonly version: string }[])[]
}

/** Whether a plan publishes anything. */
export function hasPublications({ plan }: PublishPlan): boolean {
  return plan.flat().some(({ kind }) => kind === 'publish')
}

/** Returns the canaries of a plan. Users receive one only if they request it by tag. */
export function canariesOf({ version, plan }: PublishPlan): PublishPlan {
  const canaries = plan.map((chunk) => chunk.filter((entry) => entry.version.includes('-canary-')))
  return {
    version,
    plan: canaries
      .filter((chunk) => chunk.length > 0)
      .map((chunk) => chunk.map((entry) => ({ ...entry, tag: 'canary' }))),
  }
}
