import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from './page.ts'

const page = readFileSync(join(repository, 'docs/contributing/resends.md'), 'utf8')

const listed = [
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  'packages/http1',
  'packages/gateway-*',
]
const sources = execFileSync('git', listed, { cwd: repository, encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\/src\/.*\.ts$/.test(path) && !/\.test\.ts$|\/testing\//.test(path))
  .map((path) => ({
    path: path.replace('packages/', ''),
    text: readFileSync(join(repository, path), 'utf8'),
  }))

/** The rows of the page whose second cell is a source file. */
const rows = [...page.matchAll(/^\| `([^`]+)` +\| `([^`]+\.ts)` +\| (.+?) +\| (.+?) +\|$/gm)].map(
  ([, name = '', path = '', condition = '', limit = '']) => ({ name, path, text: `${condition} ${limit}` }),
)

it('the page about resends lists every place in the code that has a mark, and no other', () => {
  const marked = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^ *\/\/ resend: (.+)$/gm)].map(([, name = '']) => `${path}: ${name}`),
  )
  expect(marked.length).toBeGreaterThan(15)
  expect(rows.map(({ path, name }) => `${path}: ${name}`).toSorted()).toEqual(marked.toSorted())
})

it('conditions and limits of resends name code that exists', () => {
  const words = new Set(sources.flatMap(({ text }) => text.match(/\w+/g) ?? []))
  const names = rows.flatMap(({ text }) => [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  expect(names.filter((name) => !words.has(name))).toEqual([])
})

it('every budget for resends is the limit of a place', () => {
  const budgets = sources.flatMap(({ text }) =>
    [...text.matchAll(/new RetryBudget\((\w+)/g)].map(([, name = '']) => name),
  )
  expect(budgets.length).toBeGreaterThan(2)
  expect(budgets.filter((name) => !rows.some(({ text }) => text.includes(`\`${name}\``)))).toEqual([])
})
