import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CredentialUse, type CredentialUseSink, createCredentialUse } from './credential-use.ts'

describe('createCredentialUse', () => {
  let sink: CredentialUseSink
  let reports: CredentialUse[][]
  let isFailing = false
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 })
    reports = []
    isFailing = false
    const failing = async () => {
      if (isFailing) throw new Error('c4n4ry')
    }
    sink = createCredentialUse({
      reporters: [failing, async (uses) => void reports.push([...uses])],
      log: pino({ level: 'silent' }),
    })
  })
  afterEach(async () => {
    await sink.close()
    vi.useRealTimers()
  })

  it('reports the first use soon, and those of the next minute in one batch', async () => {
    sink.record('CR-1', '192.0.2.1')
    sink.record('CR-1', '192.0.2.1')
    await vi.advanceTimersByTimeAsync(2_000)
    const first = { credentialId: 'CR-1', usedAt: 1_000_000, address: '192.0.2.1', addresses: ['192.0.2.1'] }
    expect(reports).toEqual([[first]])
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) {
      await vi.advanceTimersByTimeAsync(1_000)
      sink.record('CR-1', address)
    }
    sink.record('CR-2', '::1')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(reports.slice(1)).toEqual([[expect.objectContaining({ credentialId: 'CR-2' })]])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(reports.slice(2)).toEqual([
      [
        {
          credentialId: 'CR-1',
          usedAt: 1_005_000,
          address: '192.0.2.1',
          addresses: ['192.0.2.1', '192.0.2.2'],
        },
      ],
    ])
    await vi.advanceTimersByTimeAsync(300_000)
    expect(reports).toHaveLength(3)
    sink.record('CR-1', '192.0.2.1')
    await vi.advanceTimersByTimeAsync(2_000)
    expect(reports).toHaveLength(4)
  })

  it('reports pending uses when it is closed', async () => {
    sink.record('CR-1', '192.0.2.1')
    await sink.close()
    expect(reports).toHaveLength(1)
    await sink.close()
    expect(reports).toHaveLength(1)
  })

  it('continues after a failed write', async () => {
    isFailing = true
    sink.record('CR-1', '192.0.2.1')
    await vi.advanceTimersByTimeAsync(2_000)
    expect(reports).toHaveLength(1)
  })

  it('bounds the number of addresses per credential', async () => {
    for (let at = 0; at < 1_000; at++) sink.record('CR-1', `192.0.2.${at}`)
    await sink.close()
    expect(reports[0]?.[0]?.addresses).toHaveLength(64)
  })
})
