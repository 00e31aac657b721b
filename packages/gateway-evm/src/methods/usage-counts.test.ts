import { describe, expect, it } from 'vitest'
import { evmCost } from './chain-methods.ts'
import { createUnits } from '@fairlead/gateway-core/usage/units'
import { createUsageCounts } from '@fairlead/gateway-core/usage/usage-counts'
import { grantOf } from '@fairlead/gateway-core/testing/metered-node'

const hour = Date.UTC(2026, 2, 9, 14)

describe('createUsageCounts', () => {
  it('counts by hour, credential, protocol, method and status class', () => {
    let now = hour + 5_000
    const counts = createUsageCounts(createUnits('flat', {}), () => now)
    const [first, second] = [grantOf(), grantOf({ credentialId: 'CR-2', nodeId: 'ND-2' })]
    counts.count(first, 'evm', 'eth_call', 200, 100, 1_000, 0.0012)
    counts.count(first, 'evm', 'eth_call', 204, 1, 0, 0.0000004)
    counts.count(first, 'evm', 'eth_call', 429, 50, 7)
    counts.count(first, 'evm', 'unknown', 502, 0, 0, 0)
    counts.count(first, 'grpc', 'eth_call', 200, 0, 0)
    counts.count(second, 'beacon', 'eventstream', 200, 0, 300, undefined, 3)
    now = hour + 3_600_000
    const rows = counts.drain()
    const short = rows.map((row) => [row.credentialId, row.nodeId, row.protocol, row.method, row.statusClass])
    expect(short).toEqual([
      ['CR-1', 'ND-1', 'evm', 'eth_call', 2],
      ['CR-1', 'ND-1', 'evm', 'eth_call', 4],
      ['CR-1', 'ND-1', 'grpc', 'eth_call', 2],
      ['CR-1', 'ND-1', 'evm', 'unknown', 5],
      ['CR-2', 'ND-2', 'beacon', 'eventstream', 2],
    ])
    const sums = rows.map((row) => [row.requests, row.units, row.bytesIn, row.bytesOut])
    expect(sums).toEqual([
      [2, 2, 101, 1_000],
      [1, 0, 50, 7],
      [1, 1, 0, 0],
      [1, 0, 0, 0],
      [3, 3, 0, 300],
    ])
    expect(rows.map((row) => [row.timedRequests, row.durationMicroseconds])).toEqual([
      [2, 1_200],
      [0, 0],
      [0, 0],
      [1, 0],
      [0, 0],
    ])
    expect(rows.every((row) => row.hour === hour && row.organizationId === 'RG-1')).toBe(true)
    expect(counts.drain()).toEqual([])
    counts.count(first, 'evm', 'eth_call', 200, 1, 1)
    expect(counts.drain()).toMatchObject([{ hour: hour + 3_600_000, requests: 1 }])
  })

  it('accepts a status that HTTP does not define', () => {
    const counts = createUsageCounts(createUnits('flat', {}))
    counts.count(grantOf(), 'evm', 'm', 999, 0, 0)
    expect(counts.drain()).toMatchObject([{ statusClass: 5, units: 0 }])
  })
})

describe('createUnits', () => {
  it('weights traces only when enabled, and never on a jetton chain', () => {
    const costs = { evm: evmCost }
    const [flat, weighted] = [createUnits('flat', costs), createUnits('weighted', costs)]
    const calls = [
      ['evm', 'eth_call', 1],
      ['evm', 'debug_traceTransaction', 2],
      ['evm', 'trace_block', 2],
      ['jetton', 'debug_anything', 1],
      ['grpc', 'trace_block', 1],
    ] as const
    for (const [protocol, method, units] of calls) {
      expect(flat(protocol, method)).toBe(1)
      expect(weighted(protocol, method)).toBe(units)
    }
  })
})
