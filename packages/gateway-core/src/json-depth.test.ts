import { describe, expect, it } from 'vitest'
import { exceededLimit, exceedsDepth } from './json-depth.ts'

const encoder = new TextEncoder()

/** Depth of a parsed value. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

/** The result for a text, which must be the same for its bytes. */
function exceeds(text: string, maxDepth: number): boolean {
  const result = exceedsDepth(text, maxDepth)
  expect(exceedsDepth(encoder.encode(text), maxDepth)).toBe(result)
  return result
}

describe('exceedsDepth', () => {
  it.each([
    ['1', 0],
    ['"[[["', 0],
    ['[]', 1],
    ['[[],[],{}]', 2],
    ['{"a":{"b":[1]}}', 3],
    ['{"[{":"]}","a":[]}', 2],
    ['["\\"[[[[", "\\\\", ["\\\\\\"{{{"]]', 2],
    ['["\\u0022",["é𝔘\u2028",{"}]":"[{"}]]', 3],
    [' [\n[\t[\r[ ] ] ] ] ', 4],
  ])('finds the depth of %s', (text, depth) => {
    expect(depthOf(JSON.parse(text))).toBe(depth)
    expect(exceeds(text, depth)).toBe(false)
    if (depth > 0) expect(exceeds(text, depth - 1)).toBe(true)
  })

  it('finds the depth of any string, as key and as value', () => {
    const pieces = ['"', '\\', '[', '{', ']', '}', 'u', '\u0001', 'ü', '𝔘']
    const strings = pieces.flatMap((a) => pieces.flatMap((b) => pieces.map((c) => a + b + c)))
    for (const each of strings) {
      const text = JSON.stringify([{ [each]: each }, each, [each]])
      expect([text, exceeds(text, 2), exceeds(text, 1)]).toEqual([text, false, true])
    }
  })

  it('does not add up what is side by side', () => {
    expect(exceeds(`[${'[{}],'.repeat(10_000)}1]`, 3)).toBe(false)
  })

  it('stops at the first level that is too deep, in text without an end too', () => {
    expect(exceeds('['.repeat(65), 64)).toBe(true)
    expect(exceeds('{"a":'.repeat(65), 64)).toBe(true)
    expect(exceeds('['.repeat(64), 64)).toBe(false)
    const reads: number[] = []
    const bytes = new Proxy(encoder.encode('['.repeat(5_000_000)), {
      get(target, key) {
        if (key === 'length') return target.length
        reads.push(Number(key))
        return target[Number(key)]
      },
    })
    expect(exceedsDepth(bytes, 64)).toBe(true)
    expect(reads).toHaveLength(65)
  })

  it.each([
    ['[1,2,3]', 3],
    ['{"a":1,"b":2}', 2],
    ['[[],[]]', 4],
    ['[",,,"]', 1],
    ['1', 0],
  ])('counts the values of %s', (text, values) => {
    expect(exceededLimit(text, { maxDepth: 9, maxValues: values })).toBeUndefined()
    if (values > 0) expect(exceededLimit(text, { maxDepth: 9, maxValues: values - 1 })).toBe('maxValues')
  })

  it.each(['', '"', '"\\', '"[[[', '["[[', ']]]]', 'nonsense'])('accepts the invalid text %j', (text) => {
    expect(exceeds(text, 1)).toBe(false)
  })
})
