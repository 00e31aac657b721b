import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findViolations, lineOf, unusedExceptions } from './find-violations.ts'
import { readPages } from './pages.ts'
import { readRules, type Rules } from './rules.ts'
import { statisticsOf } from './statistics.ts'

const root = resolve(import.meta.dirname, '../../..')
const rules = readRules(root)
const maxExceptions = 10

it('no page breaks a rule', { timeout: 60_000 }, () => {
  expect(findViolations(readPages(root), rules).map(lineOf)).toEqual([])
})

it('all texts are read, and no generated ones', () => {
  const paths = readPages(root).map(({ path }) => path)
  expect(paths).toEqual(
    expect.arrayContaining([
      'README.md',
      'SECURITY.md',
      'docs/index.md',
      'docs/decisions/0001-generated-code-is-committed.md',
      'packages/core/README.md',
      '.changeset/README.md',
    ]),
  )
  expect(paths.filter((path) => /node_modules|^docs\/(?:api|packages|specifications)\//.test(path))).toEqual(
    [],
  )
})

it('exceptions are limited, have a reason, and are used', { timeout: 60_000 }, () => {
  expect(rules.exceptions.length).toBeLessThanOrEqual(maxExceptions)
  expect(rules.exceptions.filter(({ reason }) => !reason)).toEqual([])
  expect(unusedExceptions(readPages(root), rules)).toEqual([])
})

it('the program prints the place, the rule and the message', { timeout: 60_000 }, () => {
  const output = execFileSync(process.execPath, [`${import.meta.dirname}/main.ts`, '--statistics'], {
    encoding: 'utf8',
  })
  expect(output).toMatch(/^docs\s+\d+\s+\d+\.\d\s+\d+\s+\d+\.\d%$/m)
  expect(find('Call\nit it.').map(lineOf)).toEqual([
    'page.md:2:1 repeated-words: Unexpected repeated `it`, remove one occurrence',
  ])
})

describe('a phrase is found', () => {
  it.each(rules.phrases)('$rule: $example', (phrase) => {
    expect(find(phrase.example, { ...rules, phrases: [phrase] })).toMatchObject([{ rule: phrase.rule }])
  })

  it('in a table, a list, a quotation and a container, with its place', () => {
    const text = '| a |\n| - |\n| it is told |\n\n- it knows\n\n> it knows\n\n::: tip\nit knows\n:::\n'
    expect(find(text).map(({ line, column }) => [line, column])).toEqual([
      [3, 9],
      [5, 6],
      [7, 6],
      [10, 4],
    ])
  })

  it('after code, and across lines', () => {
    expect(find('A `long name` [it](x.md)\nknows it.')).toMatchObject([{ line: 2, column: 1 }])
  })

  it('and not of a person, in code, in front matter or in a comment', () => {
    const texts = ['Anyone who knows it.', '`it knows`', '```\nit knows\n```', '<!-- it knows -->']
    expect(texts.flatMap((text) => find(text))).toEqual([])
    expect(find('---\ntitle: it knows\n---\n')).toEqual([])
  })
})

describe('a long sentence', () => {
  const { maxWords } = rules
  const words = (count: number): string => Array.from({ length: count }, (_, at) => `w${at}`).join(' ')

  it('is found by its words, without code and URLs', () => {
    expect(find(`${words(maxWords)}.`)).toEqual([])
    expect(find(`${words(maxWords)} \`a b c\` https://example.com/a-b-c.`)).toEqual([])
    expect(find(`Short.\n${words(maxWords + 1)}.`)).toMatchObject([
      { rule: 'sentence-length', line: 2, column: 1 },
    ])
  })

  it('ends before code, digits and small letters', () => {
    for (const start of ['`code`', '20', 'geth']) {
      expect(find(`It is ${words(20)}. ${start} is ${words(20)}.`)).toEqual([])
    }
    expect(find(`It is ${words(20)}, e.g. \`code\` ${words(20)}.`)).toHaveLength(1)
  })

  it('is no list in a table cell', () => {
    const list = Array.from({ length: 20 }, () => 'two words').join(', ')
    expect(find(`| a |\n| - |\n| ${list} |`)).toEqual([])
    expect(find(list)).toHaveLength(1)
    expect(find(`| a |\n| - |\n| ${words(maxWords + 1)} |`)).toHaveLength(1)
  })
})

it('an exception covers one rule in one file', () => {
  const exception = { file: 'page.md', rule: 'pronoun', text: 'Nobody', reason: 'a quotation' }
  const withException = { ...rules, exceptions: [exception] }
  expect(find('Nobody knows.', withException)).toMatchObject([{ rule: 'personification' }])
  expect(unusedExceptions([{ path: 'page.md', text: 'No client.' }], withException)).toEqual([exception])
})

it('statistics count complete sentences by area', () => {
  const text =
    '# A heading\n\nIt is cached. It was sent to two clients. The gateway returns `a b`.\n\n- item\n'
  const [docs, , readme] = statisticsOf([
    { path: 'docs/a.md', text },
    { path: 'README.md', text: 'One sentence.' },
  ])
  expect(docs).toEqual({ area: 'docs', sentences: 3, mean: 4, p95: 6, passive: 2 / 3 })
  expect(readme).toMatchObject({ area: 'README', sentences: 1, mean: 2, passive: 0 })
})

function find(text: string, by: Rules = rules): ReturnType<typeof findViolations> {
  return findViolations([{ path: 'page.md', text }], by)
}
