import { describe, expect, it } from 'vitest'
import { postgresConfig } from './postgres-pool.ts'

const address = 'postgresql://fairlead:c4n4ry@database.example/fairlead'

describe('connect_timeout of a database URL', () => {
  it.each([
    ['', 5_000],
    ['?connect_timeout=30', 30_000],
    ['?sslmode=disable&connect_timeout=0', 0],
  ])('of %j limits a connection to %i ms', (query, milliseconds) => {
    expect(postgresConfig(address + query).connectionTimeoutMillis).toBe(milliseconds)
  })

  it.each(['soon', '-1', '1.5', '1e3', '', '1234567'])('must be a number of seconds, not %j', (value) => {
    const rule = 'must be a whole number of seconds, or 0 for no limit.'
    expect(() => postgresConfig(`${address}?connect_timeout=${value}`)).toThrow(
      `[STORE_INVALID] connect_timeout in the database URL ${rule}`,
    )
  })
})
