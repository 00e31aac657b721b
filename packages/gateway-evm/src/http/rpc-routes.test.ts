import { describe, expect, it } from 'vitest'
import { routesOf } from '@fairlead/gateway-core/testing/matched-routes'
import { evm } from '../description.ts'
import { rpcEndpointOf } from './rpc-routes.ts'

const otherRoutes = [
  { kind: 'http', pattern: { prefix: 'beacon' } },
  { kind: 'http', pattern: { afterToken: 'api', isDeep: true } },
] as const
const matchHttp = routesOf(evm, 'http', otherRoutes)
const matchWebSocket = routesOf(evm, 'websocket', otherRoutes)
const matchUpgradeRequired = routesOf(evm, 'upgrade-required', otherRoutes)

/** Returns the route of a path. Undefined when the path accepts no calls by POST. */
function callsAt(target: string) {
  const match = matchHttp(target)
  return match && { token: match.token, endpoint: rpcEndpointOf(match) }
}

function socketsAt(target: string) {
  const match = matchWebSocket(target)
  return match && { token: match.token, endpoint: rpcEndpointOf(match) }
}

describe('the routes of JSON-RPC by POST', () => {
  it.each([
    ['/t0k3n', { token: 't0k3n', endpoint: '' }],
    ['/t0k3n/', { token: 't0k3n', endpoint: '' }],
    ['/t0k3n/evm', { token: 't0k3n', endpoint: 'evm' }],
    ['/t0k3n/evm/', { token: 't0k3n', endpoint: 'evm' }],
    ['/t0k3n/evm?x=/v1/y', { token: 't0k3n', endpoint: 'evm' }],
    ['/t0k3n?', { token: 't0k3n', endpoint: '' }],
    ['/', { endpoint: '' }],
    ['/?x=1', { endpoint: '' }],
    ['/evm', { endpoint: 'evm' }],
    ['/evm/', { endpoint: 'evm' }],
    ['/a%2Fb%20c', { token: 'a/b c', endpoint: '' }],
    ['/%E2%82%AC/evm', { token: '€', endpoint: 'evm' }],
    ['/50%', { token: '50%', endpoint: '' }],
    ['/v12', { token: 'v12', endpoint: '' }],
    ['http://gateway.example/t0k3n/evm?x=1', { token: 't0k3n', endpoint: 'evm' }],
    ['HTTPS://user@gateway.example:8645/t0k3n', { token: 't0k3n', endpoint: '' }],
    ['http://gateway.example', { endpoint: '' }],
  ])('matches %s', (target, expected) => {
    expect(callsAt(target)).toEqual(expected)
  })

  it.each(
    'v1 v2 healthz readyz metrics console docs favicon.ico robots.txt .well-known beacon api ws'.split(' '),
  )('matches nothing under /%s', (segment) => {
    for (const rest of ['', '/', '/evm', '?x=1']) {
      expect(callsAt(`/${segment}${rest}`)).toBeUndefined()
      expect(callsAt(`http://gateway.example/${segment}${rest}`)).toBeUndefined()
    }
  })

  it.each([
    '/v2/projects/',
    '/beacon/t0k3n/eth/v1/debug/fork_choice',
    '/t0k3n/api/v2/getConfigParam',
    '/t0k3n/api/v3/jetton/burns',
    '/ws/t0k3n',
    '/t0k3n/ws',
    '/t0k3n/EVM',
    '/t0k3n/evm/evm',
    '/t0k3n//evm',
    '//t0k3n',
    '//evm',
    '',
    '*',
    'gateway.example:443',
    'ftp://gateway.example/t0k3n',
  ])('does not match %j', (target) => {
    expect(callsAt(target)).toBeUndefined()
  })
})

describe('the routes of WebSockets', () => {
  it.each([
    ['/ws/t0k3n', { token: 't0k3n', endpoint: '' }],
    ['/ws/t0k3n/', { token: 't0k3n', endpoint: '' }],
    ['/ws/t0k3n/evm?x=1', { token: 't0k3n', endpoint: 'evm' }],
    ['/ws/a%2Fb', { token: 'a/b', endpoint: '' }],
    ['/ws', { endpoint: '' }],
    ['/ws/', { endpoint: '' }],
    ['/ws?x=1', { endpoint: '' }],
    ['/ws/evm', { endpoint: 'evm' }],
    ['/wst0k3n', { token: 'wst0k3n', endpoint: '' }],
    ['/t0k3n', { token: 't0k3n', endpoint: '' }],
    ['/t0k3n/evm', { token: 't0k3n', endpoint: 'evm' }],
    ['/', { endpoint: '' }],
    ['/evm', { endpoint: 'evm' }],
    ['http://gateway.example/ws/t0k3n', { token: 't0k3n', endpoint: '' }],
  ])('matches %s', (target, expected) => {
    expect(socketsAt(target)).toEqual(expected)
  })

  it.each([
    '/ws/t0k3n/x',
    '/ws/ws',
    '/ws//t0k3n',
    '/ws/v1',
    '/v1/organization/',
    '/healthz',
    '/console/',
    '*',
  ])('does not match %j', (target) => {
    expect(socketsAt(target)).toBeUndefined()
  })

  it('are the only ones below /ws', () => {
    const isOnly = (target: string) => matchUpgradeRequired(target) !== undefined
    expect(['/ws', '/ws/t', '/ws?x', 'http://x/ws/t'].map(isOnly)).toEqual([true, true, true, true])
    expect(['/', '/wsx', '/evm', '/t/ws'].map(isOnly)).toEqual([false, false, false, false])
  })
})
