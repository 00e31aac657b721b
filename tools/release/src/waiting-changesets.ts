import { readChangesets } from '@changesets/read'

/** Tells whether a changeset waits that releases something; one may say why a change needs no release. */
export async function doChangesetsWait(root: string): Promise<boolean> {
  const changesets = await readChangesets(root)
  return changesets.some(({ releases }) => releases.some(({ type }) => type !== 'none'))
}
