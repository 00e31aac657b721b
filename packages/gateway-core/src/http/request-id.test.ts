import { expect, it } from 'vitest'
import { makeRequestId } from './request-id.ts'

it('generates UUIDs of version 8', () => {
  expect(makeRequestId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

it('generates unique ids, also after a counter overflow', () => {
  const ids = new Set(Array.from({ length: 10_000 }, makeRequestId))
  expect(ids.size).toBe(10_000)
  expect(new Set([...ids].map((id) => id.slice(0, 33))).size).toBeGreaterThanOrEqual(3)
})
