/** The file in which changesets keep what is to be published, in chunks of packages that depend on earlier ones only. */
export interface PublishPlan {
  readonly version: number
  readonly plan: readonly (readonly { readonly kind: string; readonly version: string }[])[]
}

/** Tells whether a plan publishes anything. */
export function publishesSomething({ plan }: PublishPlan): boolean {
  return plan.flat().some(({ kind }) => kind === 'publish')
}

/** The canaries of a plan. Nobody gets one who did not ask for it. */
export function canariesOf({ version, plan }: PublishPlan): PublishPlan {
  const canaries = plan.map((chunk) => chunk.filter((one) => one.version.includes('-canary-')))
  return {
    version,
    plan: canaries
      .filter((chunk) => chunk.length > 0)
      .map((chunk) => chunk.map((one) => ({ ...one, tag: 'canary' }))),
  }
}
