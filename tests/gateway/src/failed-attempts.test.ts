import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { pino } from 'pino'
import { memory } from '@fairlead/gateway-core/testing/memory'
import { gatewayFixture } from './gateway-fixture.ts'
import { startTestNode } from '@fairlead/gateway-core/testing/serve'
import {
  createFailedAttemptLimiter,
  addressPrefix,
} from '@fairlead/gateway-core/authentication/failed-attempts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('blocks an IP address after too many attempts in a minute, and logs it once', () => {
  const lines = memory()
  const log = pino({ level: 'info' }, lines.stream)
  const watch = createFailedAttemptLimiter({ log, maxFailures: 3 })
  const tries = Array.from({ length: 5 }, () => watch.recordFailure('192.0.2.7'))
  expect(tries.slice(0, 3)).toEqual([0, 0, 0])
  expect(tries[3]).toBeGreaterThan(59_000)
  expect(watch.recordFailure('::ffff:192.0.2.7')).toBeGreaterThan(0)
  expect(watch.recordFailure('192.0.2.8')).toBe(0)
  expect(watch.states()).toEqual({ failed: 7, throttled: 3 })
  vi.advanceTimersByTime(75_000)
  expect(watch.recordFailure('192.0.2.7')).toBe(0)
  const logged = lines.text().trim().split('\n')
  expect(logged).toHaveLength(1)
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({ address: '192.0.2.7', attempts: 6, level: 40 })
  watch.close()
})

it('counts an IPv6 network as one client', () => {
  const watch = createFailedAttemptLimiter({ log: pino({ level: 'silent' }), maxFailures: 1 })
  expect(watch.recordFailure('2001:db8:1:2::1')).toBe(0)
  expect(watch.recordFailure('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBeGreaterThan(0)
  expect(watch.recordFailure('2001:db8:1:3::1')).toBe(0)
  watch.close()
})

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0DB8:0000:0001::1', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ['1::8', '1:0:0:0::/64'],
  ['1:2:3::', '1:2:3:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('counts %s as %s', (address, network) => {
  expect(addressPrefix(address)).toBe(network)
})

it('needs no additional memory for additional addresses', () => {
  const watch = createFailedAttemptLimiter({ log: pino({ level: 'silent' }), maxFailures: 1 })
  for (let index = 0; index < 60_000; index++)
    watch.recordFailure(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`)
  // The oldest entries are evicted, the latest ones are not.
  expect(watch.recordFailure('10.0.0.0')).toBe(0)
  expect(watch.recordFailure('10.0.234.95')).toBeGreaterThan(0)
  watch.close()
})

it('slows down attempts with API keys too', async () => {
  vi.useRealTimers()
  const node = await startTestNode((_, response) => response.end())
  const gateway = await gatewayFixture({ FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '2' }, node)
  onTestFinished(gateway.stop)
  const attempt = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${gateway.url}/v1/organization/`, { headers })
    return [response.status, response.headers.has('retry-after')]
  }
  expect(await attempt('abcdefgh.abcdefghabcdefghabcdefghabcdefgh')).toEqual([401, false])
  // Node tokens count as well.
  expect((await fetch(`${gateway.url}/c4n4ry`, { method: 'POST', body: '{}' })).status).toBe(401)
  expect(await attempt('abcdefgh.abcdefghabcdefghabcdefghabcdefgh')).toEqual([429, true])
  expect((await fetch(`${gateway.url}/c4n4ry`, { method: 'POST', body: '{}' })).status).toBe(429)
  expect(await attempt(gateway.first.apiKey)).toEqual([200, false])
}, 60_000)
