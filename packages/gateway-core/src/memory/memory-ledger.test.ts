import { describe, expect, it } from 'vitest'
import { memoryFactors, MemoryLedger } from './memory-ledger.ts'

const step = 65_536
const tenant = { organizationId: 'a', projectId: 'b', credentialId: 'c' }

it('counts what a byte of each kind costs', () => {
  const ledger = new MemoryLedger(1_000_000)
  for (const kind of ['request', 'response', 'pending', 'objects'] as const) {
    const reservation = ledger.reserve(tenant, kind)
    reservation.take(1_000)
    expect(ledger.states().reserved).toBe(1_000 * memoryFactors[kind])
    reservation.release()
  }
  expect(ledger.states().reserved).toBe(0)
})

describe('a reservation', () => {
  it('counts for its owner until it is released', () => {
    const ledger = new MemoryLedger(1_000)
    const reservation = ledger.reserve(tenant, 'objects')
    reservation.take(800)
    expect(reservation.tryTake(100)).toMatchObject({ limit: 'total' })
    expect(ledger.states().refused).toMatchObject({ objects: 1 })
    reservation.release()
    expect(reservation.tryTake(100)).toBeUndefined()
  })

  it('has a maximum size', () => {
    const ledger = new MemoryLedger(2 ** 40)
    expect(ledger.reserve(tenant, 'response').tryTake(2 ** 26 + 1)).toMatchObject({ limit: 'request' })
  })

  it('is made in advance for repeated short amounts, as far as its owner may', () => {
    const ledger = new MemoryLedger(10_000)
    const reservation = ledger.reserve(tenant, 'objects')
    const reserved = [100, 100, 4_000, 96, 100, 3_000, 100].map((bytes) => {
      expect(reservation.tryTake(bytes)).toBeUndefined()
      return ledger.states().reserved
    })
    expect(reserved).toEqual([100, 4_296, 4_296, 4_296, 8_492, 8_492, 8_492])
    expect(reservation.tryTake(1_000)).toBeUndefined()
    expect(ledger.states().reserved).toBe(8_496)
    reservation.release()
    expect(ledger.states().reserved).toBe(0)
  })

  it('follows a size in steps', () => {
    const ledger = new MemoryLedger(100 * step)
    const reservation = ledger.reserve(tenant, 'objects')
    const reserved: number[] = []
    for (const bytes of [1, step, step + 1, 5 * step, 4 * step, 3 * step, 2 * step - 1, 0]) {
      expect(reservation.resize(bytes)).toBe(true)
      reserved.push(ledger.states().reserved / step)
    }
    expect(reserved).toEqual([1, 1, 2, 5, 5, 4, 3, 1])
    expect(reservation.resize(200 * step)).toBe(false)
    expect(ledger.states().reserved).toBe(step)
  })

  it('moves to another owner with what it holds', () => {
    const ledger = new MemoryLedger(1_000)
    const reservation = ledger.reserve({ address: '192.0.2.1' }, 'objects')
    reservation.take(100)
    expect(reservation.tryTake(100)).toBeDefined()
    expect(reservation.moveTo(tenant)).toBe(true)
    expect(reservation.tryTake(100)).toBeUndefined()
    expect(ledger.states().reserved).toBe(200)
    reservation.release()
    expect(ledger.states().reserved).toBe(0)
  })

  it('stays with its owner when another one may not hold so much', () => {
    const ledger = new MemoryLedger(1_000)
    const full = ledger.reserve(tenant, 'objects')
    full.take(840)
    const reservation = ledger.reserve({ address: '192.0.2.1' }, 'objects')
    reservation.take(30)
    expect(reservation.moveTo(tenant)).toBe(false)
    expect(ledger.states().reserved).toBe(870)
  })
})
