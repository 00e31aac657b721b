import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'

export const repository: string = resolve(import.meta.dirname, '../..')

/** Files outside this folder that are also pages of the site: from the root of the repository, by their place on the site. */
export function copiedPages(): Readonly<Record<string, string>> {
  const packages = readdirSync(resolve(repository, 'packages'))
    .filter((name) => existsSync(resolve(repository, 'packages', name, 'README.md')))
    .toSorted()
  return {
    'contributing/index.md': 'CONTRIBUTING.md',
    ...Object.fromEntries(packages.map((name) => [`packages/${name}.md`, `packages/${name}/README.md`])),
  }
}
