import { expect, it } from 'vitest'
import type { RoutePattern } from './route.ts'
import { Router } from './router.ts'

const reserved = new Set(['v1', 'health', 'console', 'chain', 'api', 'ws'])

const patterns: Readonly<Record<string, RoutePattern>> = {
  health: { path: '/health' },
  console: { prefix: 'console' },
  chain: { prefix: 'chain', root: 'eth' },
  api: { afterToken: 'api', isDeep: true },
  rpc: { afterToken: '', isDeep: false },
  other: { afterToken: 'other', isDeep: false },
  sockets: { prefix: 'ws', afterToken: '', isDeep: false },
  web: { contentType: /^application\/rpc$/, requestHeaders: ['x-rpc', 'x-key'] },
}

const router = new Router(
  Object.entries(patterns).map(([handler, pattern]) => ({ handler, pattern })),
  reserved,
)

const matched = (target: string) => {
  const match = router.match(target)
  return match && [match.handler, match.token, match.target]
}

it.each([
  ['/health', ['health', undefined, '/health']],
  ['/console', ['console', undefined, '']],
  ['/console/a?b', ['console', undefined, '/a?b']],
  ['/chain/t/eth/v1?x=/', ['chain', 't', '/eth/v1?x=/']],
  ['/chain/eth/v1', ['chain', undefined, '/eth/v1']],
  ['/chain/v1', ['chain', 'v1', '']],
  ['/t/api/v2/x/', ['api', 't', '/api/v2/x/']],
  ['/api/v2', ['api', undefined, '/api/v2']],
  ['/%74/api', ['api', 't', '/api']],
  ['/', ['rpc', undefined, '/']],
  ['//', ['rpc', undefined, '//']],
  ['/t/?x', ['rpc', 't', '/?x']],
  ['/other', ['other', undefined, '/other']],
  ['/other/other/', ['other', 'other', '/other/']],
  ['/ws/t', ['sockets', 't', '']],
  ['/ws', ['sockets', undefined, '/']],
  ['http://host.example/t/api', ['api', 't', '/api']],
])('matches %s', (target, expected) => {
  expect(matched(target)).toEqual(expected)
})

it.each([
  '/v1',
  '/v1/api',
  '/health/',
  '/t/apis',
  '/t/other/x',
  '//t',
  '//api',
  '/ws/v1',
  '/ws/t/x',
  '*',
  '',
])('does not match %j', (target) => {
  expect(matched(target)).toBeUndefined()
})

it.each([
  ['POST', '/t', { 'content-type': 'application/rpc' }, 'web'],
  ['POST', '/any/path/at/all', { 'content-type': 'application/rpc' }, 'web'],
  ['GET', '/t', { 'content-type': 'application/rpc' }, 'rpc'],
  ['POST', '/t', { 'content-type': 'application/json' }, 'rpc'],
  ['OPTIONS', '/t', { 'access-control-request-headers': 'accept, X-RPC' }, 'web'],
  ['OPTIONS', '/t', { 'access-control-request-headers': 'x-rpcs' }, 'rpc'],
  ['POST', '/health', { 'content-type': 'application/rpc' }, 'health'],
  ['POST', '/console/x', { 'content-type': 'application/rpc' }, 'console'],
  ['POST', '/chain/t', { 'content-type': 'application/rpc' }, 'web'],
] as const)('%s %s with %j belongs to %s', (method, target, headers, handler) => {
  expect(router.matchRequest(method, target, headers)?.handler).toBe(handler)
})

it('rejects two routes with the same pattern', () => {
  const twice = (pattern: RoutePattern) =>
    new Router(
      [1, 2].map((handler) => ({ pattern, handler })),
      reserved,
    )
  expect(() => twice({ prefix: 'chain' })).toThrow(TypeError)
  expect(() => twice({ path: '/health' })).toThrow(TypeError)
  expect(() => twice({ afterToken: '', isDeep: false })).toThrow('Two routes have the pattern ""')
})
