import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

// Tests, and files that only tests use, do not reach users.
const excluded = /(\.test(-d)?\.tsx?$)|(^|\/)(test|testing)\//

/** Returns the files below `src/` that differ between two versions of a package and reach its users, by path. */
export function changedSources(before: string | undefined, after: string): readonly string[] {
  const old = before === undefined ? new Map<string, string>() : sources(before)
  const now = sources(after)
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((file) => old.get(file) !== now.get(file))
    .toSorted()
}

function sources(directory: string): ReadonlyMap<string, string> {
  const folder = join(directory, 'src')
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    files
      .map((file) => [relative(directory, file), file] as const)
      .filter(([path]) => !excluded.test(path))
      .map(([path, file]) => [path, readFileSync(file, 'utf8')]),
  )
}
