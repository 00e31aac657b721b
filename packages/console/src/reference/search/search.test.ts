import { expect, it } from 'vitest'
import type { IndexedDocument } from '../documents/reference-index.ts'
import { search } from './search.ts'

const documents: readonly IndexedDocument[] = [
  {
    name: 'evm',
    title: 'EVM JSON-RPC',
    version: '1',
    operations: [
      { id: 'eth_getBlockByHash', name: 'eth_getBlockByHash', group: 'block', summary: 'Gets a block.' },
      {
        id: 'eth_getBalance',
        name: 'eth_getBalance',
        group: 'state',
        summary: 'Gets the balance of an account.',
      },
    ],
  },
  {
    name: 'beacon',
    title: 'Beacon node API',
    version: '1',
    operations: [
      {
        id: 'getBlockV2',
        name: 'getBlockV2',
        group: 'Beacon',
        summary: 'Get a block',
        method: 'GET',
        path: '/eth/v2/beacon/blocks/{block_id}',
      },
    ],
  },
]
const ids = (text: string) => search(documents, text).map(({ operation }) => operation.id)

it.each([
  ['balance', ['eth_getBalance']],
  ['BLOCK', ['eth_getBlockByHash', 'getBlockV2']],
  ['getblock', ['getBlockV2', 'eth_getBlockByHash']],
  ['/eth/v2/beacon', ['getBlockV2']],
  ['block evm', ['eth_getBlockByHash']],
  ['account gets', ['eth_getBalance']],
  ['state', ['eth_getBalance']],
  ['block nonsense', []],
  ['  ', []],
])('finds by "%s"', (text, expectedIds) => {
  expect(ids(text)).toEqual(expectedIds)
})
