import { expect, it } from 'vitest'
import { createLookupLimit } from './lookup-limit.ts'

it('limits the lookups per address and refills', () => {
  let now = 0
  const limit = createLookupLimit(() => now)
  const allowed = Array.from({ length: 300 }, () => limit.take('192.0.2.1', 'x')).filter(
    (waitMs) => waitMs === 0,
  )
  expect(allowed).toHaveLength(200)
  expect(limit.take('192.0.2.2', 'x')).toBe(0)
  now = 1_000
  expect(limit.take('192.0.2.1', 'x')).toBe(0)
})

it('does not limit an address that has sent a valid secret', () => {
  const limit = createLookupLimit(() => 0)
  for (let index = 0; index < 200; index++) limit.take('192.0.2.1', 'x')
  expect(limit.take('192.0.2.1', 'x')).toBeGreaterThan(0)
  limit.succeeded('192.0.2.1', 'valid')
  expect(limit.take('192.0.2.1', 'x')).toBe(0)
})

it('accepts a valid secret during a flood from the same address', () => {
  const limit = createLookupLimit(() => 0)
  limit.succeeded('192.0.2.1', 'valid')
  for (let index = 0; index < 200; index++) limit.take('192.0.2.1', 'x')
  expect(limit.take('192.0.2.1', 'x')).toBeGreaterThan(0)
  expect(limit.take('192.0.2.1', 'valid')).toBe(0)
})
