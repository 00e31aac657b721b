import { expect, it } from 'vitest'
import { hrefOf, routeOf } from './route.ts'

it.each([
  ['/docs', undefined, undefined],
  ['/docs/evm', 'evm', undefined],
  ['/docs/evm/eth_getBalance', 'evm', 'eth_getBalance'],
  ['/docs/grpc/geyser.Geyser/Ping', 'grpc', 'geyser.Geyser/Ping'],
  ['/docs/evm/%E0%A4', 'evm', '%E0%A4'],
])('parses %s', (path, document, operation) => {
  expect(routeOf(path)).toEqual({ document, operation })
})

it.each([['evm'], ['evm', 'eth_getBalance'], ['grpc', 'geyser.Geyser/Ping']] as const)(
  'builds and parses the URL of %s %s',
  (document, operation?: string) => {
    expect(routeOf(hrefOf(document, operation).replace(/\/$/, ''))).toEqual({ document, operation })
  },
)
