import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { expect, it } from 'vitest'

// In the order of a request.
const stations = ['listen', 'authenticate', 'admit', 'route', 'forward', 'meter'] as const

// What a folder may take from an earlier one all the same, and why.
const allowed = new Map([
  ['forward/consistency/latest-of-batch.ts', 'a call of its own goes through the stations like any other'],
])

const importLine = /^(?:import|export)\s+(?<what>[^'"]*?)\s*from\s+'(?<path>\.[^']+)'/gm

interface Import {
  readonly from: string
  readonly to: string
}

/** What is imported to run: a type is only what an earlier station hands on. */
function importsThatRun(): readonly Import[] {
  const root = import.meta.dirname
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) =>
    file.replaceAll(sep, '/'),
  )
  return files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('testing/'))
    .flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(importLine)]
        .filter(({ groups }) => !isOfTypes(groups?.['what'] ?? ''))
        .map(({ groups }) => ({
          from: file,
          to: relative(root, join(root, dirname(file), groups?.['path'] ?? '')).replaceAll(sep, '/'),
        })),
    )
}

function isOfTypes(what: string): boolean {
  if (what.startsWith('type ')) return true
  const names = what.replace(/^{|}$/g, '').split(',')
  return what.startsWith('{') && names.every((name) => name.trim() === '' || /^\s*type\s/.test(name))
}

function placeOf(file: string): number {
  const [folder = ''] = file.split('/', 1)
  return stations.indexOf(folder as (typeof stations)[number])
}

const walks = importsThatRun().filter(({ from, to }) => placeOf(from) >= 0 && placeOf(to) >= 0)
const backwards = walks.filter(({ from, to }) => placeOf(to) < placeOf(from))

it('a request can be followed forwards only, from station to station', () => {
  expect(walks.length).toBeGreaterThan(100)
  expect(backwards.filter(({ from }) => !allowed.has(from))).toEqual([])
})

it('allows nothing backwards that nobody does any more', () => {
  expect([...allowed.keys()].filter((file) => !backwards.some(({ from }) => from === file))).toEqual([])
})
