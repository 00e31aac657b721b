import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { coinedWordsIn, findCoinedWords, unusedExceptions } from './find-coined-words.ts'
import { readGlossary } from './glossary.ts'
import { glossaryPage, pageOf } from './glossary-page.ts'

const root = resolve(import.meta.dirname, '../../..')
const glossary = readGlossary(root)
const maxExceptions = 30

it('no file has a coined word', { timeout: 60_000 }, () => {
  const found = findCoinedWords(root, glossary)
  expect(found.map(({ file, line, word, instead }) => `${file}:${line} "${word}": write ${instead}`)).toEqual(
    [],
  )
})

it('exceptions are limited, have a reason, and are used', { timeout: 60_000 }, () => {
  expect(glossary.exceptions.length).toBeLessThanOrEqual(maxExceptions)
  expect(glossary.exceptions.filter(({ reason }) => !reason)).toEqual([])
  expect(unusedExceptions(root, glossary)).toEqual([])
})

it('the glossary page is up to date', () => {
  expect(readFileSync(`${root}/${glossaryPage}`, 'utf8')).toBe(pageOf(glossary))
})

describe('a coined word is found', () => {
  const coined = { frobnicate: 'transform', 'by and by': 'later' }

  it.each([
    ['an identifier', 'const frobnicateAll = 1'],
    ['the end of an identifier', 'function mustFrobnicate() {}'],
    ['a constant', 'FROBNICATE_ALL = 1'],
    ['a private field', 'this.#frobnicate = 1'],
    ['a comment', '// Frobnicate it.'],
    ['a string', "throw new Error('cannot frobnicate')"],
    ['a page', 'To frobnicate a response, …'],
    ['a name of a file', "import './frobnicate-all.ts'"],
  ])('in %s', (_, text) => {
    expect(coinedWordsIn('a', `\n${text}`, coined)).toEqual([
      { file: 'a', line: 2, word: 'frobnicate', instead: 'transform' },
    ])
  })

  it('if it is an idiom', () => {
    expect(coinedWordsIn('a', 'It ends by and by.', coined)).toMatchObject([{ word: 'by and by' }])
  })

  it('and not as a part of another word', () => {
    expect(coinedWordsIn('a', 'The frobnicated one; frobnicater; unfrobnicate', coined)).toEqual([])
  })
})
