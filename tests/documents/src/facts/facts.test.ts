import { expect, it } from 'vitest'
import { readPages } from '../pages/page.ts'
import { facts } from './facts.ts'
import { markedIn, unmarkedQuantities, wrongFacts } from './marked-facts.ts'

const pages = readPages()

it('a number that a page copies from the code is that of the code', () => {
  expect(pages.flatMap(wrongFacts)).toEqual([])
})

it('every fact is stated by a page', () => {
  const stated = new Set(pages.flatMap(markedIn))
  expect(Object.keys(facts).filter((name) => !stated.has(name))).toEqual([])
})

/** Pages on which every time and size is marked, except for these, which are no constants of the code. */
const complete: Readonly<Record<string, readonly string[]>> = {}

it.each(Object.entries(complete))('%s marks every time and size', (path, exceptions) => {
  const page = pages.find((candidate) => candidate.path === path)
  expect(page).toBeDefined()
  expect(page && unmarkedQuantities(page)).toEqual(exceptions)
})
