import { describe, expect, it } from 'vitest'
import { FairleadError, fromUnits, toUnits } from './v3.ts'

const largest = (2n ** 256n - 1n).toString()

describe('an amount', () => {
  it.each<[string, number, bigint]>([
    ['1.5', 9, 1_500_000_000n],
    ['0', 9, 0n],
    ['0.000000001', 9, 1n],
    ['-2.5', 1, -25n],
    ['-0.5', 1, -5n],
    ['7', 0, 7n],
    [largest, 0, 2n ** 256n - 1n],
    ['0.1', 255, 10n ** 254n],
  ])('of %s with %i decimals round-trips through units', (text, decimals, units) => {
    expect(toUnits(text, decimals)).toBe(units)
    expect(fromUnits(units, decimals)).toBe(text)
    expect(fromUnits(units.toString(), decimals)).toBe(text)
  })

  it('does not require trailing zeros', () => {
    expect(toUnits('1.50', 2)).toBe(150n)
    expect(fromUnits(150n, 2)).toBe('1.5')
  })
})

describe('an invalid amount is rejected', () => {
  it.each<[string, () => unknown]>([
    ['amount', () => toUnits('', 9)],
    ['amount', () => toUnits('1e9', 9)],
    ['amount', () => toUnits('1,5', 9)],
    ['amount', () => toUnits('.5', 9)],
    ['amount', () => toUnits('1.', 9)],
    ['amount', () => toUnits(' 1', 9)],
    ['amount', () => toUnits('0x10', 9)],
    ['amount', () => toUnits('1.0000000001', 9)],
    ['units', () => fromUnits('1.5', 9)],
    ['units', () => fromUnits('', 9)],
    ['decimals', () => toUnits('1', -1)],
    ['decimals', () => toUnits('1', 1.5)],
    ['decimals', () => fromUnits(1n, 256)],
  ])('as %s', (option, convert) => {
    expect(convert).toThrow(FairleadError)
    expect(convert).toThrow(`Invalid value of ${option}: `)
  })
})
