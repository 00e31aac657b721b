import { describe, expect, it } from 'vitest'
import { beaconClock, FAR_FUTURE_EPOCH, FairleadError } from './index.ts'

const genesis = { genesis_time: '1606824023' }
const spec = { SECONDS_PER_SLOT: '12', SLOTS_PER_EPOCH: '32' }
const clock = beaconClock(genesis, spec)

describe('the clock', () => {
  it.each([
    ['2020-12-01T11:00:00.000Z', 0n],
    ['2020-12-01T12:00:23.000Z', 0n],
    ['2020-12-01T12:00:34.999Z', 0n],
    ['2020-12-01T12:00:35.000Z', 1n],
    // The merge: block 15537394, slot 4700013, epoch 146875.
    ['2022-09-15T06:42:59.000Z', 4_700_013n],
  ])('returns for %s slot %i', (time, slot) => {
    expect(clock.slotAt(new Date(time))).toBe(slot)
    expect(clock.epochAt(new Date(time))).toBe(slot / 32n)
  })

  it('converts to times and epochs', () => {
    expect(clock.timeOf(4_700_013n).toISOString()).toBe('2022-09-15T06:42:59.000Z')
    expect(clock.epochOf(4_700_013n)).toBe(146_875n)
    expect(clock.firstSlotOf(146_875n)).toBe(4_700_000n)
  })

  it('uses the current time, and slots in milliseconds', () => {
    const now = Math.floor(Date.now() / 1_000)
    const shortSlots = beaconClock({ genesis_time: String(now - 10) }, { ...spec, SLOT_DURATION_MS: '500' })
    expect(shortSlots.slotAt()).toBeGreaterThanOrEqual(20n)
    expect(shortSlots.slotAt()).toBeLessThan(40n)
  })

  it.each([
    ['genesis_time', { genesis_time: 'soon' }, spec],
    ['SECONDS_PER_SLOT', genesis, { SLOTS_PER_EPOCH: '32' }],
    ['SLOT_DURATION_MS', genesis, { ...spec, SLOT_DURATION_MS: '0' }],
    ['SLOTS_PER_EPOCH', genesis, { ...spec, SLOTS_PER_EPOCH: 32 }],
  ])('names an invalid %s', (field, invalidGenesis, invalidSpec) => {
    try {
      beaconClock(invalidGenesis, invalidSpec)
    } catch (error) {
      expect(FairleadError.is(error, 'DECODE_INVALID') && error.details.path).toBe(field)
      return
    }
    expect.unreachable()
  })
})

it('has the far-future epoch', () => {
  expect(FAR_FUTURE_EPOCH).toBe(BigInt('18446744073709551615'))
})
