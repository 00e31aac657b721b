import { describe, expect, it } from 'vitest'
import { routesOf } from '@fairlead/gateway-core/testing/matched-routes'
import { jetton } from './description.ts'

const match = routesOf(jetton, 'http', [
  { kind: 'http', pattern: { prefix: 'beacon' } },
  { kind: 'websocket', pattern: { prefix: 'ws' } },
])

describe('the routes of the jetton chain API', () => {
  it.each([
    ['/t0k3n/api/v2/getTransactions?limit=1', { token: 't0k3n', target: '/api/v2/getTransactions?limit=1' }],
    ['/t0k3n/api/v3/jetton/burns/', { token: 't0k3n', target: '/api/v3/jetton/burns/' }],
    ['/t0k3n/api', { token: 't0k3n', target: '/api' }],
    ['/a%2Fb/api/v2/jsonRPC', { token: 'a/b', target: '/api/v2/jsonRPC' }],
    ['/api/v2/jsonRPC', { target: '/api/v2/jsonRPC' }],
    ['/api/api/v2', { target: '/api/api/v2' }],
    ['/api?x=/', { target: '/api?x=/' }],
    ['http://gateway.example/t0k3n/api/v3/decode?x', { token: 't0k3n', target: '/api/v3/decode?x' }],
  ])('matches %s', (target, expected) => {
    expect(match(target)).toMatchObject({ token: undefined, ...expected })
  })

  it.each([
    '/',
    '/t0k3n',
    '/t0k3n/evm',
    '/t0k3n/apis',
    '//api',
    '/v2/api',
    '/beacon/api',
    '/ws/api',
    '*',
    '',
  ])('does not match %j', (target) => {
    expect(match(target)).toBeUndefined()
  })
})
