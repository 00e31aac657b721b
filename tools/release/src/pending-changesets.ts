import { readChangesets } from '@changesets/read'

/** Whether a pending changeset releases something. A changeset may also only explain why a change needs no release. */
export async function hasPendingChangesets(root: string): Promise<boolean> {
  const changesets = await readChangesets(root)
  return changesets.some(({ releases }) => releases.some(({ type }) => type !== 'none'))
}
