import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export const workspaceRoot = resolve(import.meta.dirname, '../../..')
export const specsRoot = join(workspaceRoot, 'specs')

/** One document of a family: its kind and its entry file. */
export interface SpecDocument {
  readonly kind: 'openapi' | 'openrpc' | 'proto'
  readonly entry: string
  readonly name: string
}

/** An API family: the documents in `specs/` and the package that is generated from them. */
export interface Family {
  readonly name: string
  readonly package: string
  readonly directory: string
  readonly documents: readonly SpecDocument[]
}

/** Reads `specs/families.json`. */
export function readFamilies(): readonly Family[] {
  const { families } = JSON.parse(readFileSync(join(specsRoot, 'families.json'), 'utf8')) as {
    families: Record<string, Omit<Family, 'name'>>
  }
  return Object.entries(families).map(([name, family]) => ({ name, ...family }))
}

/** Returns a digest of all files of a family below `specs/`, independent of file times and locations. */
export function specDigest(family: Family): string {
  const folder = join(specsRoot, family.name)
  const hash = createHash('sha256')
  for (const file of filesBelow(folder)) {
    hash
      .update(`${relative(folder, file)}\n`)
      .update(readFileSync(file))
      .update('\n')
  }
  return hash.digest('hex')
}

/** Returns all files below a folder, sorted by path. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}
