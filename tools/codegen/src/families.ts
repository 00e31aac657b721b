import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { policyFile, splitPolicies } from './policy-extension.ts'

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
  /** Directory of the private package that receives the policies of the gateway. */
  readonly gateway?: string
}

/** Reads `specs/families.json`. */
export function readFamilies(): readonly Family[] {
  const { families } = JSON.parse(readFileSync(join(specsRoot, 'families.json'), 'utf8')) as {
    families: Record<string, Omit<Family, 'name'>>
  }
  return Object.entries(families).map(([name, family]) => ({ name, ...family }))
}

/**
 * Returns a digest of all files of a family below `specs/`, independent of file times and locations. It does not depend
 * on the policies of the gateway.
 */
export function specDigest(family: Family): string {
  return digestOf(publicFiles(join(specsRoot, family.name)))
}

/** Returns a digest of the policies of the gateway in the files of a family. */
export function policyDigest(family: Family): string {
  const folder = join(specsRoot, family.name)
  const files = filesBelow(folder).map((file) => {
    const text = readFileSync(file, 'utf8')
    return [
      relative(folder, file),
      basename(file) === policyFile ? text : splitPolicies(text).policies,
    ] as const
  })
  return digestOf(files.filter(([, policies]) => policies !== ''))
}

function digestOf(files: readonly (readonly [path: string, text: string])[]): string {
  const hash = createHash('sha256')
  for (const [path, text] of files) hash.update(`${path}\n`).update(text).update('\n')
  return hash.digest('hex')
}

/** Returns the path and text of each file below a folder of specifications, without the policies of the gateway. */
export function publicFiles(folder: string): readonly (readonly [path: string, text: string])[] {
  return filesBelow(folder)
    .filter((file) => basename(file) !== policyFile)
    .map((file) => [relative(folder, file), splitPolicies(readFileSync(file, 'utf8')).others])
}

/** Returns all files below a folder, sorted by path. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}
