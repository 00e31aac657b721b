import { FairleadError } from '@fairlead/core'
import { describe, expect, it } from 'vitest'
import {
  assertAddress,
  assertBytes,
  assertHash32,
  assertQuantity,
  isAddress,
  isBytes,
  isHash32,
  isHex,
  isQuantity,
} from './guards.ts'
import { fromBytes, toBigInt, toBytes, toNumber, toQuantity } from './hex.ts'

const address = `0x${'aB'.repeat(20)}`
const hash = `0x${'0f'.repeat(32)}`

describe('quantities', () => {
  it.each([0n, 1n, 436n, 2n ** 53n, 2n ** 256n - 1n])('round-trip: %s', (value) => {
    expect(toBigInt(toQuantity(value))).toBe(value)
  })

  it('have no leading zeros, and are accepted with them', () => {
    expect(toQuantity(0)).toBe('0x0')
    expect(toQuantity(255)).toBe('0xff')
    expect(toBigInt('0x00Ff')).toBe(255n)
  })

  it('become numbers only without loss of precision', () => {
    expect(toNumber('0x1fffffffffffff')).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => toNumber('0x20000000000000')).toThrow('2^53 - 1')
  })

  it.each(['', '0x', '1', '0xg', '-0x1', ' 0x1', '0x1\n'])('are rejected: %j', (text) => {
    expect(() => toBigInt(text)).toThrow('CONFIG_INVALID')
  })

  it.each([-1, -1n, 1.5, Number.NaN, Infinity, 2 ** 53])('are not created from %s', (value) => {
    expect(() => toQuantity(value)).toThrow('CONFIG_INVALID')
  })
})

describe('bytes', () => {
  it('round-trip', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    expect(toBytes(fromBytes(bytes))).toEqual(bytes)
    expect(toBytes('0x')).toEqual(new Uint8Array())
    expect(fromBytes(new Uint8Array())).toBe('0x')
  })

  it.each(['0x1', 'ff', '0xzz', '0x0102 '])('are rejected: %j', (text) => {
    expect(() => toBytes(text)).toThrow('even number of digits')
  })
})

describe('guards', () => {
  it('distinguish forms', () => {
    expect([isHex('0x'), isHex('0x1'), isHex('0X1'), isHex(1), isHex('0x1g')]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    expect([isBytes('0x'), isBytes('0x01'), isBytes('0x1')]).toEqual([true, true, false])
    expect([isQuantity('0x0'), isQuantity('0x10'), isQuantity('0x01'), isQuantity('0x')]).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect([isAddress(address), isAddress(hash), isAddress(`${address}\n`)]).toEqual([true, false, false])
    expect([isHash32(hash), isHash32(address), isHash32(null)]).toEqual([true, false, false])
  })

  it.each([
    ['address', assertAddress],
    ['quantity', assertQuantity],
    ['data', assertBytes],
    ['hash', assertHash32],
  ] as const)(
    'name field and rule of an invalid %s, never the value',
    (field, check: (value: unknown, field: string) => void) => {
      const secret = 'not-hex-but-a-private-key'
      const refused = () => check(secret, field)
      expect(refused).toThrow(FairleadError)
      expect(refused).toThrow(`Invalid value of ${field}: must be 0x`)
      expect(refused).not.toThrow(secret)
    },
  )
})
