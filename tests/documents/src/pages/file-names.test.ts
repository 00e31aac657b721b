import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readPages, repository } from './page.ts'

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: repository,
  encoding: 'utf8',
}).split('\n')
const packages = new Set(files.map((file) => /^packages\/([^/]+)\//.exec(file)?.[1]))
// A path from the root of the repository or of a package, or the name of a source file.
const roots = new Set(['packages', 'tools', 'tests', 'docs', 'specs', 'deploy', 'benchmarks', ...packages])
// The README of `devnet` names files of its data directory.
const pages = readPages().filter(({ path }) =>
  /^(?:[^/]+|docs\/(?:architecture|contributing\/.+|decisions\/.+)|packages\/(?!devnet\/).+)\.md$/.test(path),
)

/** The files and folders that a page names as code, outside of its fences. */
function pathsIn(text: string): readonly string[] {
  const spans = text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([\w./*-]+)`/g)
  return [...spans].flatMap(([, span = '']) => {
    const isInRoot = span.includes('/') && roots.has(span.split('/')[0])
    return isInRoot || /^[\w/*-][\w./*-]*\.tsx?$/.test(span) ? [span.replace(/\/$/, '')] : []
  })
}

/** Whether a path, whose `*` stands for any part of a name, is the end of that of a file or folder. */
function exists(path: string): boolean {
  const pattern = new RegExp(`(?:^|/)${path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(?:/|$)`)
  return files.some((file) => pattern.test(file))
}

it('every file and folder that the pages for contributors name exists', () => {
  const named = pages.flatMap(({ path, text }) => pathsIn(text).map((name) => ({ page: path, name })))
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(({ name }) => !exists(name))).toEqual([])
})

it('the table of folders in the README of a private package names all of them', () => {
  const missing = [...packages].flatMap((name = '') => {
    const readme = `packages/${name}/README.md`
    if (!files.includes(readme)) return []
    const text = readFileSync(join(repository, readme), 'utf8')
    if (!/^\| Folder +\|/m.test(text)) return []
    const folders = new Set(
      files.map((file) => new RegExp(`^packages/${name}/src/([^/]+)/`).exec(file)?.[1] ?? 'testing'),
    )
    return [...folders]
      .filter((folder) => folder !== 'testing' && folder !== 'generated' && !text.includes(`\`${folder}\``))
      .map((folder) => `${readme}: ${folder}`)
  })
  expect(missing).toEqual([])
})
