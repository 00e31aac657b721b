import { describe, expect, it } from 'vitest'
import { SubscribeRequest, SubscribeRequestFilterSlots } from './geyser.ts'
import { HealthListResponse } from './health.ts'

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

describe('the entries of a map', () => {
  const empty = SubscribeRequestFilterSlots.fromPartial({})

  it.each([
    ['omits an empty value', '12 03 0a 01 61'],
    ['writes an empty value', '12 05 0a 01 61 12 00'],
    ['writes the value before the key', '12 05 12 00 0a 01 61'],
  ])('arrive from an encoder that %s', (_, hex) => {
    expect(SubscribeRequest.decode(bytes(hex)).slots).toEqual({ a: empty })
  })

  it('have an empty key if it is omitted', () => {
    expect(SubscribeRequest.decode(bytes('12 00')).slots).toEqual({ '': empty })
  })

  it('have the last value', () => {
    const { slots } = SubscribeRequest.decode(bytes('12 07 0a 01 61 12 02 08 01 12 03 0a 01 61'))
    expect(slots).toEqual({ a: empty })
  })

  it('arrive under every name', () => {
    const name = '__proto__'
    const sent = SubscribeRequest.encode(SubscribeRequest.decode(bytes('12 0b 0a 09 5f5f70726f746f5f5f')))
    const { slots } = SubscribeRequest.decode(sent.finish())
    expect(Object.keys(slots)).toEqual([name])
    expect(Object.getPrototypeOf(slots)).toBe(Object.prototype)
  })

  it('arrive in every message', () => {
    expect(HealthListResponse.decode(bytes('0a 03 0a 01 61')).statuses).toEqual({ a: { status: 0 } })
  })
})
