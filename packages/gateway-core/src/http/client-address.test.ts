import { expect, it } from 'vitest'
import { clientAddress, trustedProxiesOf } from './client-address.ts'

const given = '10.0.0.0/8, 2001:db8::/32'

it.each<[trusted: string | undefined, peer: string, headers: Record<string, string>, client: string]>([
  // No proxy is trusted.
  [undefined, '10.0.0.1', { 'x-forwarded-for': '192.0.2.7' }, '10.0.0.1'],
  [undefined, '::ffff:192.0.2.1', {}, '192.0.2.1'],
  [undefined, '127.0.0.1', { 'x-forwarded-for': '192.0.2.7' }, '127.0.0.1'],
  // An untrusted client can send any value.
  [given, '198.51.100.1', { 'x-forwarded-for': '192.0.2.7' }, '198.51.100.1'],
  // The last address that is not a trusted proxy.
  [given, '10.0.0.1', {}, '10.0.0.1'],
  [given, '10.0.0.1', { 'x-forwarded-for': '192.0.2.7' }, '192.0.2.7'],
  [given, '::ffff:10.0.0.1', { 'x-forwarded-for': '192.0.2.7' }, '192.0.2.7'],
  [given, '10.0.0.1', { 'x-forwarded-for': '127.0.0.1, 192.0.2.7' }, '192.0.2.7'],
  [given, '10.0.0.1', { 'x-forwarded-for': '127.0.0.1, 192.0.2.7, 10.9.9.9' }, '192.0.2.7'],
  [given, '10.0.0.1', { 'x-forwarded-for': '10.1.1.1,10.2.2.2' }, '10.1.1.1'],
  [given, '10.0.0.1', { 'x-forwarded-for': '192.0.2.7:4711' }, '192.0.2.7'],
  [given, '2001:db8::1', { 'x-forwarded-for': '[2001:db9::7]:80' }, '2001:db9::7'],
  [given, '10.0.0.1', { 'x-forwarded-for': '::ffff:192.0.2.7' }, '192.0.2.7'],
  // An invalid address hides the addresses before it.
  [given, '10.0.0.1', { 'x-forwarded-for': '192.0.2.7, unknown, 10.2.2.2' }, '10.2.2.2'],
  [given, '10.0.0.1', { 'x-forwarded-for': '' }, '10.0.0.1'],
  [given, '10.0.0.1', { 'x-forwarded-for': ','.repeat(10_000) }, '10.0.0.1'],
  // RFC 7239
  [given, '10.0.0.1', { forwarded: 'for=192.0.2.7;proto=https;by=10.0.0.1' }, '192.0.2.7'],
  [given, '10.0.0.1', { forwarded: 'for="127.0.0.1", For="[2001:db9::7]:80"' }, '2001:db9::7'],
  [given, '10.0.0.1', { forwarded: 'for=_hidden' }, '10.0.0.1'],
  [given, '10.0.0.1', { forwarded: 'for=192.0.2.8', 'x-forwarded-for': '192.0.2.7' }, '192.0.2.7'],
])(
  'behind the proxies %s, a request from %s with %j has the client address %s',
  (trusted, remoteAddress, headers, client) => {
    expect(clientAddress({ headers, socket: { remoteAddress } }, trustedProxiesOf(trusted))).toBe(client)
  },
)

it('returns no client address when the connection is closed', () => {
  expect(clientAddress({ headers: {}, socket: {} }, trustedProxiesOf(given))).toBe('')
})
