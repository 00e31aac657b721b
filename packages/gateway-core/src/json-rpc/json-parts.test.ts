import { describe, expect, it } from 'vitest'
import { jsonMembers, jsonParts } from './json-parts.ts'

describe('jsonParts', () => {
  it.each([
    ['[]', []],
    [' [ ] ', []],
    ['[1.0, "a,b" ,{"x":[1,2]}]', ['1.0', '"a,b"', '{"x":[1,2]}']],
    ['["\\"",[[[]]],"\\\\",{}]', ['"\\""', '[[[]]]', '"\\\\"', '{}']],
    ['\n{"a":"}","b":[",]"]}\t', ['"a":"}"', '"b":[",]"]']],
  ])('splits %s', (text, parts) => {
    expect(jsonParts(text)).toEqual(parts)
  })

  it('returns the same parts as the parser for any valid text', () => {
    const values = [
      '',
      'a"b\\',
      '{[,]}',
      1e300,
      -0.5,
      null,
      true,
      [],
      {},
      [[1, ['x,']], { a: { 'b"': '\\' } }],
    ]
    const list = values.flatMap((first) => values.map((second) => [first, { k: second }, second]))
    expect(jsonParts(JSON.stringify(list, null, 1)).map((part) => JSON.parse(part) as unknown)).toEqual(list)
  })

  it('handles deep nesting and long strings', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000)
    const long = `"${'\\"'.repeat(200_000)}"`
    expect(jsonParts(`[${deep},${long}]`)).toEqual([deep, long])
  })
})

describe('jsonMembers', () => {
  it('returns values verbatim, and the last value of a duplicate key', () => {
    const members = jsonMembers('{"id" : 1.0, "a:b":"c:d", "\\u0069d": 12345678901234567890 , "":null}')
    expect([...members]).toEqual([
      ['id', '12345678901234567890'],
      ['a:b', '"c:d"'],
      ['', 'null'],
    ])
    expect(jsonMembers('{}').size).toBe(0)
  })
})
