import { expect, it } from 'vitest'
import { AddressRates } from './address-rates.ts'

it('an address may have a burst, and then events at its rate', () => {
  let now = 0
  const rates = new AddressRates(10, 20, () => now)
  const allowed = () => Array.from({ length: 100 }, () => rates.count('192.0.2.1')).filter(Boolean).length
  expect(allowed()).toBe(20)
  expect([rates.isWithin('192.0.2.1'), rates.isWithin('192.0.2.2')]).toEqual([false, true])
  now = 999
  expect(rates.isWithin('192.0.2.1')).toBe(false)
  now = 1_000
  expect(rates.isWithin('192.0.2.1')).toBe(true)
  expect(allowed()).toBe(10)
  expect(rates.count('192.0.2.2', 20)).toBe(true)
  expect(rates.count('192.0.2.2')).toBe(false)
})

it.each([
  ['2001:db8::1', '2001:db8:0:0:ffff::2', false],
  ['2001:db8::1', '2001:db8:0:1::1', true],
  ['::ffff:192.0.2.1', '192.0.2.1', false],
  ['192.0.2.1', '192.0.2.2', true],
])('%s and %s have separate limits: %s', (one, other, areSeparate) => {
  const rates = new AddressRates(1, 1, () => 0)
  expect(rates.count(one)).toBe(true)
  expect(rates.count(other)).toBe(areSeparate)
})

it('a rate of 0 is no limit', () => {
  const rates = new AddressRates(0, 0, () => 0)
  expect(Array.from({ length: 100 }, () => rates.count('192.0.2.1')).every(Boolean)).toBe(true)
})
