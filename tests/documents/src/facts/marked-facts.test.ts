import { expect, it } from 'vitest'
import { markedIn, unmarkedQuantities, wrongFacts } from './marked-facts.ts'

const page = (text: string) => ({ path: 'page.md', text })

it.each([
  'closes after 10 s<!-- fact: header timeout -->',
  'closes after ten\nseconds<!-- fact: header timeout -->',
  'closes after `10000 ms`<!-- fact: header timeout -->, then',
  'a quarter of a second<!-- fact: overload delay -->',
  'at most 64 MiB<!-- fact: buffered response --> and 2,000<!-- fact: log query requests --> requests',
])('accepts %j', (text) => {
  expect(markedIn(page(text)).length).toBeGreaterThan(0)
  expect(wrongFacts(page(text))).toEqual([])
})

it.each([
  ['11 s<!-- fact: header timeout -->', '"header timeout" is 10000 ms, not 11000 ms'],
  ['10<!-- fact: header timeout --> s', '"header timeout" is 10000 ms, not 10 count'],
  ['64 MB<!-- fact: buffered response -->', '"buffered response" is 67108864 bytes, not 64000000 bytes'],
  ['10 s <!-- fact: header timeout -->', '"header timeout" follows no number'],
  ['a few seconds<!-- fact: header timeout -->', '"header timeout" follows no number'],
  ['10 s<!-- fact: head timeout -> -->', 'there is no fact "head timeout ->"'],
])('rejects %j', (text, problem) => {
  expect(wrongFacts(page(`\n${text}`))).toEqual([`page.md:2: ${problem}`])
})

it('finds times and sizes without a mark outside of code blocks', () => {
  const text =
    'In 5 s, ten\nminutes, 64 KiB<!-- fact: short response -->, once a second.\n```\n6 s\n```\n1 kB/s, 100 calls'
  expect(unmarkedQuantities(page(text))).toEqual(['5 s', 'ten minutes'])
})
