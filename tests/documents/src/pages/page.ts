import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const repository = resolve(import.meta.dirname, '../../../..')

/** A Markdown file of the repository. */
export interface Page {
  /** Relative to the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Reads every Markdown file that is tracked or would be, except those that the release tools write. */
export function readPages(): readonly Page[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md']
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && !/^\.changeset\/|(?:^|\/)CHANGELOG\.md$/.test(path))
    .filter((path) => existsSync(join(repository, path)))
    .map((path) => ({ path, text: readFileSync(join(repository, path), 'utf8') }))
}
