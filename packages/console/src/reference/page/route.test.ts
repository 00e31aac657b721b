import { expect, it } from 'vitest'
import { hrefOf, placeOf } from './route.ts'

it.each([
  ['/docs', undefined, undefined],
  ['/docs/evm', 'evm', undefined],
  ['/docs/evm/eth_getBalance', 'evm', 'eth_getBalance'],
  ['/docs/grpc/geyser.Geyser/Ping', 'grpc', 'geyser.Geyser/Ping'],
  ['/docs/evm/%E0%A4', 'evm', '%E0%A4'],
])('reads %s', (path, document, operation) => {
  expect(placeOf(path)).toEqual({ document, operation })
})

it.each([['evm'], ['evm', 'eth_getBalance'], ['grpc', 'geyser.Geyser/Ping']] as const)(
  'leads to %s %s and back',
  (document, operation?: string) => {
    expect(placeOf(hrefOf(document, operation).replace(/\/$/, ''))).toEqual({ document, operation })
  },
)
