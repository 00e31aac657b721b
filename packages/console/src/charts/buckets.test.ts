import { describe, expect, it } from 'vitest'
import { bucketsOf } from './buckets.ts'

const row = (datetime: string, requests: number) => ({
  datetime,
  requests,
  failed_requests: 1,
  request_units: 2 * requests,
  timed_requests: requests,
  duration_ms: 1.5 * requests,
})

describe('bucketsOf', () => {
  it('sums rows by time and fills gaps with zeros', () => {
    const rows = [
      row('2026-03-03T00:00:00Z', 5),
      row('2026-03-01T00:00:00Z', 3),
      row('2026-03-03T00:00:00Z', 1),
    ]
    const from = Date.parse('2026-03-01T13:00:00Z')
    const to = Date.parse('2026-03-04T00:00:00Z')
    expect(bucketsOf(rows, 'day', from, to)).toEqual([
      { at: Date.parse('2026-03-01'), requests: 3, failed: 1, units: 6, timed: 3, duration: 4.5 },
      { at: Date.parse('2026-03-02'), requests: 0, failed: 0, units: 0, timed: 0, duration: 0 },
      { at: Date.parse('2026-03-03'), requests: 6, failed: 2, units: 12, timed: 6, duration: 9 },
    ])
  })

  it.each([
    [
      'hour',
      '2026-03-01T10:30:00Z',
      '2026-03-01T12:00:00Z',
      ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'],
    ],
    [
      'month',
      '2026-01-31T00:00:00Z',
      '2026-03-01T00:00:00Z',
      ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
    ],
  ] as const)('starts at each %s', (granularity, from, to, times) => {
    const buckets = bucketsOf([], granularity, Date.parse(from), Date.parse(to))
    expect(buckets.map(({ at }) => at)).toEqual(times.map((time) => Date.parse(time)))
  })
})
