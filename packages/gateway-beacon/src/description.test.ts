import { describe, expect, it } from 'vitest'
import { routesOf } from '@fairlead/gateway-core/testing/matched-routes'
import { beacon } from './description.ts'

const match = routesOf(beacon)

describe('the routes of the beacon node API', () => {
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
  ])('matches %s', (target, expected) => {
    expect(match(target)).toMatchObject({ token: undefined, ...expected })
  })

  it.each(['/', '/beacons/t0k3n/eth', '/t0k3n/beacon/eth', '/v1/beacon', '/Beacon/t0k3n/eth', '*', ''])(
    'does not match %j',
    (target) => {
      expect(match(target)).toBeUndefined()
    },
  )
})
