import { describe, expect, it } from 'vitest'
import {
  isWebSocketPath,
  matchBeaconPath,
  matchJettonPath,
  matchNodePath,
  matchWebSocketPath,
} from './router.ts'

describe('matchNodePath', () => {
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
  ])('takes %s', (target, expected) => {
    expect(matchNodePath(target)).toEqual(expected)
  })

  it.each(
    'v1 v2 healthz readyz metrics console docs favicon.ico robots.txt .well-known beacon api ws'.split(' '),
  )('leaves everything under /%s to others', (segment) => {
    for (const rest of ['', '/', '/evm', '?x=1']) {
      expect(matchNodePath(`/${segment}${rest}`)).toBeUndefined()
      expect(matchNodePath(`http://gateway.example/${segment}${rest}`)).toBeUndefined()
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
  ])('leaves %j to others', (target) => {
    expect(matchNodePath(target)).toBeUndefined()
  })
})

describe('matchWebSocketPath', () => {
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
  ])('takes %s', (target, expected) => {
    expect(matchWebSocketPath(target)).toEqual(expected)
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
  ])('leaves %j to others', (target) => {
    expect(matchWebSocketPath(target)).toBeUndefined()
  })

  it('knows the addresses that are for WebSockets alone', () => {
    expect(['/ws', '/ws/t', '/ws?x', 'http://x/ws/t'].map(isWebSocketPath)).toEqual([true, true, true, true])
    expect(['/', '/wsx', '/t/ws', '/evm'].map(isWebSocketPath)).toEqual([false, false, false, false])
  })
})

describe('matchBeaconPath', () => {
  it.each([
    ['/beacon/t0k3n/eth/v1/node/health', { token: 't0k3n', target: '/eth/v1/node/health' }],
    [
      '/beacon/t0k3n/eth/v1/events?topics=head&x=/?',
      { token: 't0k3n', target: '/eth/v1/events?topics=head&x=/?' },
    ],
    ['/beacon/t0k3n/eth/v1/node/peers/', { token: 't0k3n', target: '/eth/v1/node/peers/' }],
    ['/beacon/a%2Fb%20c/eth/v1/x%20', { token: 'a/b c', target: '/eth/v1/x%20' }],
    ['/beacon/50%/eth', { token: '50%', target: '/eth' }],
    ['/beacon/t0k3n', { token: 't0k3n', target: '' }],
    ['/beacon/t0k3n?x=1', { token: 't0k3n', target: '?x=1' }],
    ['/beacon/t0k3n/other', { token: 't0k3n', target: '/other' }],
    ['/beacon/ethereum/eth/v1', { token: 'ethereum', target: '/eth/v1' }],
    ['/beacon/eth/v1/node/health?x', { target: '/eth/v1/node/health?x' }],
    ['/beacon/eth', { target: '/eth' }],
    ['/beacon', { target: '' }],
    ['/beacon/', { target: '/' }],
    ['/beacon//t0k3n/eth', { target: '//t0k3n/eth' }],
    ['http://gateway.example/beacon/t0k3n/eth/v1?x=1', { token: 't0k3n', target: '/eth/v1?x=1' }],
  ])('takes %s', (target, expected) => {
    expect(matchBeaconPath(target)).toEqual(expected)
  })

  it.each(['/', '/beacons/t0k3n/eth', '/t0k3n/beacon/eth', '/v1/beacon', '/Beacon/t0k3n/eth', '*', ''])(
    'leaves %j to others',
    (target) => {
      expect(matchBeaconPath(target)).toBeUndefined()
    },
  )
})

describe('matchJettonPath', () => {
  it.each([
    ['/t0k3n/api/v2/getTransactions?limit=1', { token: 't0k3n', target: '/api/v2/getTransactions?limit=1' }],
    ['/t0k3n/api/v3/jetton/burns/', { token: 't0k3n', target: '/api/v3/jetton/burns/' }],
    ['/t0k3n/api', { token: 't0k3n', target: '/api' }],
    ['/a%2Fb/api/v2/jsonRPC', { token: 'a/b', target: '/api/v2/jsonRPC' }],
    ['/api/v2/jsonRPC', { target: '/api/v2/jsonRPC' }],
    ['/api/api/v2', { target: '/api/api/v2' }],
    ['/api?x=/', { target: '/api?x=/' }],
    ['http://gateway.example/t0k3n/api/v3/decode?x', { token: 't0k3n', target: '/api/v3/decode?x' }],
  ])('takes %s', (target, expected) => {
    expect(matchJettonPath(target)).toEqual(expected)
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
  ])('leaves %j to others', (target) => {
    expect(matchJettonPath(target)).toBeUndefined()
  })
})
