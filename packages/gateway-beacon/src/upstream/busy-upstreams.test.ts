import { describe, expect, it } from 'vitest'
import { beaconInFrontOf } from '../testing/beacon-fixture.ts'
import { beaconServer, type Handler } from '../testing/beacon-server.ts'

const path = '/eth/v1/node/peer_count'
const inSeconds = (count: number) => new Date(Date.now() + count * 1_000).toUTCString()

/** `Retry-After` of an upstream, and the bounds of that of the gateway. */
const delays: readonly (readonly [string, () => string | undefined, number, number])[] = [
  ['seconds', () => '7', 7, 7],
  ['a date', () => inSeconds(30), 29, 30],
  ['a day', () => '86400', 86_400, 86_400],
  ['no Retry-After', () => undefined, 1, 1],
  ['a date in the past', () => inSeconds(-30), 1, 1],
  ['garbage', () => 'soon', 1, 1],
]

describe.each(delays)('a rate limit with %s', (_, retryAfter, min, max) => {
  it.each([1, 2])('of all upstreams, which are %i, is a 429 with Retry-After', async (count) => {
    const servers = await Promise.all(Array.from({ length: count }, () => beaconServer()))
    const delay = retryAfter()
    for (const server of servers)
      server.serve((__, response) => {
        if (delay !== undefined) response.setHeader('retry-after', delay)
        response.writeHead(429, { 'content-type': 'text/html' }).end('<html>no</html>')
      })
    const gateway = await beaconInFrontOf(servers.map(({ url }) => url).join(' '))
    const response = await gateway.call(path)
    expect([response.status, await response.json()]).toEqual([
      429,
      { code: 429, message: 'The upstream returned HTTP 429.' },
    ])
    const seconds = Number(response.headers.get('retry-after'))
    expect([seconds >= min, seconds <= max]).toEqual([true, true])
    if (min === 1) return
    const next = await gateway.call(path)
    expect([next.status, await next.json()]).toEqual([
      429,
      { code: 429, message: 'All upstreams of this node have reached their rate limit. Try again later.' },
    ])
    expect(next.headers.get('retry-after')).toMatch(/^(?:7|29|30|60)$/)
    expect(servers.map(({ requests }) => requests.length)).toEqual(servers.map(() => 1))
  })
})

it('Retry-After of another error is in seconds, and omitted when it is invalid', async () => {
  const server = await beaconServer()
  const gateway = await beaconInFrontOf(server.url)
  const respondWith = (value: string): Handler => {
    return (_, response) => response.writeHead(503, { 'retry-after': value }).end()
  }
  server.serve(respondWith(inSeconds(30)))
  expect((await gateway.call(path)).headers.get('retry-after')).toMatch(/^(?:29|30)$/)
  server.serve(respondWith('soon'))
  expect((await gateway.call(path)).headers.get('retry-after')).toBeNull()
})

it.each([400, 404, 406, 409, 410, 413, 414, 415, 422])(
  'HTTP %i changes nothing about its upstream and is not sent to another one',
  async (status) => {
    const [first, second] = [await beaconServer(), await beaconServer()]
    for (const server of [first, second])
      server.serve((_, response) => response.writeHead(status).end(JSON.stringify({ message: 'no' })))
    for (const urls of [first.url, `${first.url} ${second.url}`]) {
      const gateway = await beaconInFrontOf(urls)
      // As many failures in a row would open the circuit breaker.
      for (let count = 0; count < 6; count += 1) {
        const response = await gateway.call(path)
        expect([response.status, await response.json()]).toEqual([status, { code: status, message: 'no' }])
      }
    }
    expect([first.requests.length, second.requests.length]).toEqual([12, 0])
  },
)
