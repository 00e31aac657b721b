import { describe, expect, it } from 'vitest'
import { randomOf } from '../testing/random.ts'
import { type ListLocation, splitJsonLists } from './json-lists.ts'

const top: ListLocation = { parent: [], lists: ['items'] }

/** Writes a text in chunks and puts the items back into their lists. */
function read(text: string, pieceOf: () => number, location: ListLocation = top) {
  const lists = splitJsonLists(location)
  const items: Record<string, unknown[]> = {}
  for (let at = 0; at < text.length;) {
    const end = at + pieceOf()
    for (const found of lists.write(text.slice(at, end))) (items[found.list] ??= []).push(...found.items)
    at = end
  }
  return { items, document: lists.end() as Record<string, unknown> }
}

/** Any JSON value, with strings that look like JSON structure. */
function valueOf(random: () => number, depth = 3): unknown {
  const pick = Math.floor(random() * (depth > 0 ? 8 : 6))
  const strings = ['', 'a', '"', '\\', '\\"', '},{', '"],["', ']', '\u00e9\u{1f600}', '\n', 'items', '","']
  if (pick === 0) return null
  if (pick === 1) return random() < 0.5
  if (pick === 2) return Math.floor(random() * 1e6) / 100 - 100
  if (pick < 6) return strings[Math.floor(random() * strings.length)]
  const values = Array.from({ length: Math.floor(random() * 4) }, () => valueOf(random, depth - 1))
  if (pick === 6) return values
  return Object.fromEntries(values.map((value, index) => [`${strings[index] ?? ''}${index}`, value]))
}

describe('a document', () => {
  it('round-trips with any content and any chunks', () => {
    for (let seed = 1; seed <= 3_000; seed++) {
      const random = randomOf(seed)
      const items = Array.from({ length: Math.floor(random() * 6) }, () => valueOf(random))
      const document = { before: valueOf(random), items, after: valueOf(random) }
      const text = JSON.stringify(document, undefined, random() < 0.3 ? 1 : undefined)
      const longest = 1 + Math.floor(random() * 40)
      const result = read(text, () => 1 + Math.floor(random() * longest))
      expect({ ...result.document, items: result.items['items'] ?? [] }, `seed ${seed}`).toEqual(document)
      expect(result.document['items']).toEqual([])
    }
  })

  it('buffers at most a chunk and an item', () => {
    const item = { slot: '1', root: '0x'.padEnd(66, 'a') }
    const lists = splitJsonLists(top)
    lists.write('{"items":[')
    let most = 0
    for (let count = 0; count < 1_000; count++) {
      const found = lists.write(`${count > 0 ? ',' : ''}${JSON.stringify(item)}`)
      most = Math.max(most, ...found.map(({ items }) => items.length))
    }
    expect(most).toBe(1)
  })

  it('recognizes the name of a list in any escaping', () => {
    const { items, document } = read(String.raw`{"\u0069tems":[1,2]}`, () => 3)
    expect([items, document]).toEqual([{ items: [1, 2] }, { items: [] }])
  })

  it('returns the fields before a list once that has begun', () => {
    const lists = splitJsonLists(top)
    lists.write('{"checkpoint":{"epoch":"1"},"items":[{"slot"')
    expect(lists.partial()).toEqual({ checkpoint: { epoch: '1' }, items: [] })
    lists.write(':"1"}],"extra":{"items":[1]}}')
    expect(lists.end()).toEqual({ checkpoint: { epoch: '1' }, items: [], extra: { items: [1] } })
  })
})

describe('lists of an inner object', () => {
  const document = {
    version: 'phase0',
    balances: ['not these'],
    data: {
      slot: '1',
      validators: [{ a: [1] }, { a: [] }],
      roots: ['0x1', '0x2'],
      balances: ['3', '4'],
      fork: {},
    },
  }

  it.each([1, 7, 1_000])('are distinguished, and others are skipped, in chunks of %i', (size) => {
    const location = { parent: ['data'], lists: ['validators', 'balances'], skipOtherLists: true }
    const result = read(JSON.stringify(document), () => size, location)
    expect(result.items).toEqual({ validators: document.data.validators, balances: ['3', '4'] })
    expect(result.document).toEqual({
      ...document,
      data: { slot: '1', validators: [], roots: [], balances: [], fork: {} },
    })
  })

  it('preserve other arrays by default', () => {
    const result = read(JSON.stringify(document), () => 5, { parent: ['data'], lists: ['balances'] })
    expect(result.document).toEqual({ ...document, data: { ...document.data, balances: [] } })
  })
})

describe('invalid JSON', () => {
  it.each([
    ['', 'empty'],
    ['{"items":[1,2]', 'cut off behind the list'],
    ['{"items":[{"a":1},{"a"', 'cut off in an item'],
    ['{"items":[{"a":1},', 'cut off behind a comma'],
    ['{"items":[1,]}', 'a comma too many'],
    ['{"items":[,1]}', 'a comma too early'],
    ['{"items":[1,,2]}', 'two commas'],
    ['{"items":[{"a":1]]}', 'a wrong bracket in an item'],
    ['{"items":[1}}', 'a wrong bracket at the end'],
    ['{"items":[{"a":1}{"a":2}]}', 'no comma'],
    ['{"items":[1]}{', 'something behind the end'],
    ['{"items":[nul]}', 'no value'],
  ])('%s is rejected: %s', (text) => {
    for (const size of [1, 3, 100]) expect(() => read(text, () => size)).toThrow(SyntaxError)
  })
})
