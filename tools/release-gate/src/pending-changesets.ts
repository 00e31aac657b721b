import { readChangesets } from '@changesets/read'
import { type Bump, highest } from '@fairlead/spec-diff'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The bump that changesets announce for a package. */
export type Announced = ReadonlyMap<string, Bump>

/**
 * Reads the changesets of the head that the base does not have, or has with different content.
 *
 * @throws Error when a changeset cannot be read
 */
export async function newChangesets(base: string, head: string): Promise<Announced> {
  const before = new Map(
    (await changesetsIn(base)).map((changeset) => [changeset.id, JSON.stringify(changeset)]),
  )
  const added = (await changesetsIn(head)).filter(
    (changeset) => before.get(changeset.id) !== JSON.stringify(changeset),
  )
  const announced = new Map<string, Bump>()
  for (const { name, type } of added.flatMap(({ releases }) => releases))
    announced.set(name, highest([announced.get(name) ?? 'none', type]))
  return announced
}

async function changesetsIn(root: string) {
  return existsSync(join(root, '.changeset')) ? readChangesets(root) : []
}
