import type { Package } from '@fairlead/release-gate'

/**
 * Returns the tags that published packages should have but do not.
 *
 * @param listed - output of `git ls-remote --tags`
 */
export function missingTags(packages: ReadonlyMap<string, Package>, listed: string): readonly string[] {
  const refs = new Set(listed.split('\n').map((line) => line.split('\t')[1]))
  return [...packages.values()]
    .filter(({ isPublished }) => isPublished)
    .map(({ name, version }) => `${name}@${version}`)
    .filter((tag) => !refs.has(`refs/tags/${tag}`))
}
