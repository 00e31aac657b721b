import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A workspace package with the fields that a release needs. */
export interface Package {
  readonly name: string
  readonly version: string
  readonly isPublished: boolean
  readonly directory: string
  readonly manifest: Manifest
}

/** The fields of a package.json that users notice. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports?: Readonly<Record<string, unknown>>
  /** Fields that are replaced when the package is packed. */
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> }
  readonly bin?: unknown
  readonly engines?: unknown
  readonly dependencies?: unknown
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: unknown
  readonly peerDependencies?: unknown
  readonly spec?: { readonly family: string; readonly version: string }
}

/** Reads the packages of a checkout, by name and sorted by name. */
export function packagesIn(root: string): ReadonlyMap<string, Package> {
  const folder = join(root, 'packages')
  if (!existsSync(folder)) return new Map()
  const packageList = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((directory) => existsSync(join(directory, 'package.json')))
    .map((directory): Package => {
      const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest
      const { name, version } = manifest
      return { name, version, isPublished: manifest.private !== true, directory, manifest }
    })
  return new Map(
    packageList.map((entry) => [entry.name, entry] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Returns the private packages that are bundled into another package, directly or through other bundled packages. */
export function bundledIn(
  { manifest }: Package,
  all: ReadonlyMap<string, Package>,
  bundled: Set<Package> = new Set(),
): ReadonlySet<Package> {
  for (const name of Object.keys(manifest.devDependencies ?? {})) {
    const dependency = all.get(name)
    if (!dependency || dependency.isPublished || bundled.has(dependency)) continue
    bundled.add(dependency)
    bundledIn(dependency, all, bundled)
  }
  return bundled
}

/** Returns the names of the entries that users can import. Other entries are for this workspace only. */
export function publishedEntries({ exports, publishConfig }: Manifest): readonly string[] {
  return Object.keys(publishConfig?.exports ?? exports ?? {})
}

/** Returns the source file of each published entry of a package, by entry name. */
export function entriesOf({ manifest }: Package): ReadonlyMap<string, string> {
  const entries = publishedEntries(manifest).flatMap((entry) => {
    const target = manifest.exports?.[entry]
    const source = typeof target === 'object' && target !== null ? Object.entries(target) : []
    const file = source.find(([condition]) => condition === '@fairlead/source')?.[1]
    return typeof file === 'string' ? [[entry, file] as const] : []
  })
  return new Map(entries)
}
