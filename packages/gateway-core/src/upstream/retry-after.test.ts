import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { parseRetryAfter } from './retry-after.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('Tue, 01 Jan 2030 00:00:00 GMT') })
})
afterEach(() => {
  vi.useRealTimers()
})

it.each<[string | undefined, number | undefined]>([
  ['7', 7_000],
  ['0', 0],
  ['1.5', 1_500],
  ['Tue, 01 Jan 2030 00:00:30 GMT', 30_000],
  ['Tuesday, 01-Jan-30 00:01:00 GMT', 60_000],
  ['Mon, 31 Dec 2029 23:59:59 GMT', undefined],
  ['Tue, 01 Jan 2030 00:00:00 GMT', undefined],
  [undefined, undefined],
  ['', undefined],
  ['-5', undefined],
  ['+5', undefined],
  ['1e3', undefined],
  ['0x10', undefined],
  ['7, 8', undefined],
  ['9'.repeat(400), undefined],
  ['soon', undefined],
  ['Infinity', undefined],
  ['2040-01-01', undefined],
])('parses %j as %s ms', (value, ms) => {
  expect(parseRetryAfter(value)).toBe(ms)
})
