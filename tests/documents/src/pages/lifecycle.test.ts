import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from './page.ts'

// `npm run test:reality` compares the tables with a running gateway. These tests find most stale tables without one.
const page = readFileSync(join(repository, 'docs/contributing/lifecycle.md'), 'utf8')
const tables = [...page.matchAll(/<!-- request-walk: (\S+) -->\n\n((?:\|.*\n)+)/g)].map(
  ([, request = '', table = '']) => ({
    request,
    rows: [...table.matchAll(/^\| `([^`]+\.ts)` +\| (.*?) *\|/gm)].map(([, file = '', functions = '']) => ({
      file,
      functions: [...functions.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    })),
  }),
)

it('the page about the lifecycle has the path of each request', () => {
  expect(tables.map(({ request }) => request)).toEqual(['evm', 'evm-pool', 'beacon', 'platform'])
  for (const { request, rows } of tables) expect(rows.length, request).toBeGreaterThan(5)
})

it('each file on the path of a request contains the functions that the page names', () => {
  const missing = tables
    .flatMap(({ rows }) => rows)
    .flatMap(({ file, functions }) => {
      const text = readFileSync(join(repository, 'packages', file), 'utf8')
      const words = new Set(text.match(/#?\w+/g))
      return functions.filter((name) => !words.has(name)).map((name) => `${file}: ${name}`)
    })
  expect(missing).toEqual([])
})

it('the path to a single upstream returns to no folder that it has left', () => {
  const single = tables.filter(({ request }) => request === 'evm' || request === 'beacon')
  const repeated = single.flatMap(({ request, rows }) => {
    const folders = rows
      .map(({ file }) => file.replace(/\/src\/([^/]+)\/.*|\/src\/.*/, '/$1'))
      .filter((folder, at, all) => folder !== all[at - 1])
    return folders
      .filter((folder, at) => folders.indexOf(folder) !== at)
      .map((folder) => `${request}: ${folder}`)
  })
  expect(repeated).toEqual([])
})
