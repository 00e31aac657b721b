import { expect, it } from 'vitest'
import { secretsOfUrl } from './upstream-url.ts'

const letters = 'abcdefghijklmnopqrstuvwxyz'

it.each([
  ['https://node.example/v3/0a1b2c3d4e', '0a1b2c3d4e'],
  [`https://node.example/${letters}/rpc`, letters],
  ['https://node.example/?apikey=0a1b', '0a1b'],
  ['https://node.example/?key=ab&v=1', 'key=ab'],
  ['https://user:ab@node.example', 'ab'],
  ['https://user:%40b@node.example', '@b'],
  ['https://name:p%40ss@node.example', 'p@ss'],
  ['https://name:p%40ss@node.example', 'p%40ss'],
  ['https://name:p%40ss@node.example:8545', 'node.example:8545'],
])('of %s, %s is a secret by itself', (address, secret) => {
  expect(secretsOfUrl(new URL(address))).toContain(secret)
})

it('a short user name or value of the query is no secret without the rest', () => {
  const secrets = secretsOfUrl(new URL('https://eth:ab@node.example/?v=1&key='))
  expect(secrets).toEqual([
    'https://node.example',
    'node.example',
    'node.example',
    Buffer.from('eth:ab').toString('base64'),
    'v=1',
    'ab',
    'ab',
  ])
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
