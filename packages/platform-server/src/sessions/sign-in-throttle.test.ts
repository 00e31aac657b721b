import { describe, expect, it } from 'vitest'
import { createSignInThrottle } from './sign-in-throttle.ts'

describe('the sign-in throttle', () => {
  let now = 0
  const createThrottle = () => createSignInThrottle(() => now)

  it('blocks after ten attempts on an account from one network', () => {
    const throttle = createThrottle()
    for (let index = 0; index < 10; index++) expect(throttle.attempt('192.0.2.1', 'a')).toBe(0)
    expect(throttle.attempt('192.0.2.1', 'a')).toBe(300)
    expect(throttle.attempt('192.0.2.1', 'b')).toBe(0)
    expect(throttle.attempt('192.0.2.2', 'a')).toBe(0)
    now += 299_500
    expect(throttle.attempt('192.0.2.1', 'a')).toBe(1)
    now += 500
    expect(throttle.attempt('192.0.2.1', 'a')).toBe(0)
  })

  it('blocks after a hundred attempts on an account from any address, except for its user', () => {
    const throttle = createThrottle()
    expect(throttle.attempt('198.51.100.1', 'a')).toBe(0)
    throttle.succeeded('198.51.100.1', 'a')
    for (let index = 0; index < 100; index++) expect(throttle.attempt(`192.0.2.${index}`, 'a')).toBe(0)
    expect(throttle.attempt('192.0.2.200', 'a')).toBe(300)
    expect(throttle.attempt('198.51.100.1', 'a')).toBe(0)
    expect(throttle.attempt('198.51.100.2', 'a')).toBe(300)
    now += 31 * 24 * 3_600_000
    for (let index = 0; index < 100; index++) throttle.attempt(`192.0.2.${index}`, 'a')
    expect(throttle.attempt('198.51.100.1', 'a')).toBe(300)
  })

  it('blocks after thirty attempts from an address, or from one IPv6 network', () => {
    const throttle = createThrottle()
    for (let index = 0; index < 30; index++) {
      expect(throttle.attempt(`2001:db8:1:2::${index}`, `account ${index}`)).toBe(0)
    }
    expect(throttle.attempt('2001:db8:1:2::ffff', 'other')).toBeGreaterThan(0)
    expect(throttle.attempt('2001:db8:1:3::1', 'other')).toBe(0)
  })

  it('does not count successful sign-ins', () => {
    const throttle = createThrottle()
    for (let index = 0; index < 100; index++) {
      expect(throttle.attempt('192.0.2.1', 'a')).toBe(0)
      throttle.succeeded('192.0.2.1', 'a')
    }
    // A success of one client does not reset the attempts of others.
    for (let index = 0; index < 10; index++) throttle.attempt('192.0.2.2', 'b')
    throttle.succeeded('192.0.2.1', 'a')
    expect(throttle.attempt('192.0.2.2', 'b')).toBeGreaterThan(0)
  })
})
