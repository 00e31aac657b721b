import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { Page } from './find-violations.ts'

const patterns = ['*.md', '.changeset/*.md', 'docs/**/*.md', 'packages/*/README.md']
// Pages of the site that are copied or generated.
const skipped = /(?:^|\/)(?:node_modules|dist)\/|^docs\/(?:api|packages|specifications)\//
const maxBytes = 64 * 2 ** 20

/**
 * Reads the pages of the repository.
 *
 * @param root - folder of the repository
 * @param ref - commit, branch or tag to read instead of the work tree
 */
export function readPages(root: string, ref?: string): readonly Page[] {
  return ref === undefined ? readWorkTree(root) : readCommit(root, ref)
}

function readWorkTree(root: string): readonly Page[] {
  return globSync(patterns, { cwd: root, exclude: (path) => path.endsWith('node_modules') })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !skipped.test(path))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))
}

function readCommit(root: string, ref: string): readonly Page[] {
  const git = (...parameters: readonly string[]): string =>
    execFileSync('git', parameters, { cwd: root, encoding: 'utf8', maxBuffer: maxBytes })
  return git('ls-tree', '-r', '-z', '--name-only', ref)
    .split('\0')
    .filter((path) => patterns.some((pattern) => posix.matchesGlob(path, pattern)) && !skipped.test(path))
    .map((path) => ({ path, text: git('show', `${ref}:${path}`) }))
}
