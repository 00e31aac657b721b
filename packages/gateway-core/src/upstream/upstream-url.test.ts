import { expect, it } from 'vitest'
import { secretsOfUrl } from './upstream-url.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'

it.each([
  ['https://node.example/v3/0a1b2c3d4e', '0a1b2c3d4e'],
  [`https://node.example/${letters}/rpc`, letters],
  ['https://node.example/?apikey=0a1b', '0a1b'],
  ['https://name:p%40ss@node.example', 'p@ss'],
  ['https://name:p%40ss@node.example', 'p%40ss'],
  ['https://name:p%40ss@node.example:8545', 'node.example:8545'],
])('of %s, %s is a secret by itself', (address, secret) => {
  expect(secretsOfUrl(new URL(address))).toContain(secret)
})

it('names of chains and versions in a path are not secrets', () => {
  const secrets = secretsOfUrl(new URL('https://node.example/arbitrum-one/mainnet/v3/rpc'))
  expect(secrets).toEqual([
    '/arbitrum-one/mainnet/v3/rpc',
    'https://node.example',
    'node.example',
    'node.example',
  ])
})
