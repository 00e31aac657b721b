import { describe, expect, it } from 'vitest'
import { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { freeBytes, idleBytes, SessionMemory } from './session-memory.ts'

const tenant = { organizationId: 'a', projectId: 'b', credentialId: 'c' }
const megabyte = 2 ** 20

function held(bytes = megabyte) {
  const ledger = new MemoryLedger(bytes)
  const memory = new SessionMemory(ledger, tenant)
  return { memory, reserved: () => ledger.states().reserved }
}

describe('the memory of a WebSocket', () => {
  it('is that of an idle one while little is held', () => {
    const { memory, reserved } = held()
    expect(reserved()).toBe(idleBytes)
    for (let round = 0; round < 100; round += 1) {
      expect(memory.receiveBytes(1_000)).toBe(true)
      expect(memory.receiveFrames(1)).toBe(true)
      expect(memory.receiveMessage(1_000)).toBe(true)
      expect(memory.holdUnsent(freeBytes)).toBe(true)
      memory.endMessage(1_000)
    }
    expect(reserved()).toBe(idleBytes)
    memory.release()
    expect(reserved()).toBe(0)
  })

  it.each([
    ['bytes of a message', (memory: SessionMemory) => memory.receiveBytes(10_000)],
    ['fragments', (memory: SessionMemory) => memory.receiveFrames(100)],
    ['messages', (memory: SessionMemory) => memory.receiveMessage(10_000)],
    ['subscriptions', (memory: SessionMemory) => memory.holdSubscription(100) !== undefined],
  ])('grows with %s up to the share of the organization', (_, hold) => {
    const { memory, reserved } = held()
    let count = 0
    while (hold(memory) && count < 1_000) count += 1
    expect(count).toBeGreaterThan(1)
    expect(count).toBeLessThan(1_000)
    expect(reserved()).toBeGreaterThan(megabyte / 2)
    expect(reserved()).toBeLessThanOrEqual(megabyte)
    memory.release()
    expect(reserved()).toBe(0)
  })

  it('follows what the client has not read', () => {
    const { memory, reserved } = held()
    expect(memory.holdUnsent(500_000)).toBe(true)
    expect(reserved()).toBeGreaterThan(500_000)
    expect(memory.holdUnsent(5_000_000)).toBe(false)
    expect(memory.holdUnsent(0)).toBe(true)
    expect(reserved()).toBeLessThan(4 * idleBytes)
  })

  it('is released by the end of messages and subscriptions, also after the connection', () => {
    const { memory, reserved } = held()
    memory.receiveMessage(100_000)
    const end = memory.holdSubscription(1_000)
    expect(reserved()).toBeGreaterThan(500_000)
    memory.endMessage(100_000)
    expect(reserved()).toBeLessThan(500_000)
    memory.receiveMessage(50_000)
    memory.release()
    end?.()
    memory.endMessage(50_000)
    memory.holdUnsent(300_000)
    expect(reserved()).toBe(0)
  })
})
