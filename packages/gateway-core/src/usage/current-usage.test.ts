import { expect, it } from 'vitest'
import { createUsageCounts } from './usage-counts.ts'
import { createCurrentUsage } from './current-usage.ts'
import { grantOf } from '../testing/metered-node.ts'

it('adds local counts to the usage in the database for owners with a quota', () => {
  let now = Date.UTC(2026, 0, 31, 23, 30)
  const used = createCurrentUsage(() => now)
  const counts = createUsageCounts(
    () => 2,
    () => now,
  )
  const call = (status = 200) => counts.count(grantOf(), 'evm', 'm', status, 0, 0)
  call()
  used.add(counts.drain())
  expect(used.of('node', 'ND-1', 'day')).toEqual({ requests: 0, units: 0 })

  const [day, month] = [
    { requests: 10, units: 20 },
    { requests: 100, units: 200 },
  ]
  used.replace([
    { owner: 'node', id: 'ND-1', day, month },
    { owner: 'project', id: 'PR-9', day, month },
  ])
  call()
  call(429)
  used.add(counts.drain())
  expect(used.of('node', 'ND-1', 'day')).toEqual({ requests: 11, units: 22 })
  expect(used.of('node', 'ND-1', 'month')).toEqual({ requests: 101, units: 202 })
  expect(used.of('project', 'PR-9', 'month')).toEqual(month)
  expect(used.of('credential', 'CR-1', 'day')).toEqual({ requests: 0, units: 0 })

  // Midnight, and the end of the month.
  call()
  now += 3_600_000
  expect(used.of('node', 'ND-1', 'day')).toEqual({ requests: 0, units: 0 })
  used.add(counts.drain())
  expect(used.of('node', 'ND-1', 'month')).toEqual({ requests: 0, units: 0 })
  call()
  used.add(counts.drain())
  expect(used.of('node', 'ND-1', 'day')).toEqual({ requests: 1, units: 2 })
  now += 86_400_000
  expect(used.of('node', 'ND-1', 'day')).toEqual({ requests: 0, units: 0 })
  expect(used.of('node', 'ND-1', 'month')).toEqual({ requests: 1, units: 2 })
})
