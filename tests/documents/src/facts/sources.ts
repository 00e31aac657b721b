import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../pages/page.ts'

/** Files of the repository that match one of the patterns, without tests and generated code. */
export function sourcesBelow(...patterns: readonly string[]): readonly string[] {
  const files = patterns.map((pattern) => `:(glob)${pattern}`)
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', ...files]
  const listed = execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).split('\n')
  return [...new Set(listed)].filter(
    (path) =>
      path !== '' && !/\.test\.|\/(?:testing|generated)\//.test(path) && existsSync(join(repository, path)),
  )
}
