import { Failure } from '../../failure.ts'
import { query } from '../operation.ts'

/** Contracts that the index of this chain does not contain. */
const paths = [
  'dns/records',
  'vesting',
  'nft/collections',
  'nft/items',
  'nft/transfers',
  'nft/sales',
  'multisig/wallets',
  'multisig/orders',
]

/** The indexer operations without rows on this chain; they return an error. */
export const notIndexed = paths.map((path) =>
  query(path, {}, () => {
    throw new Failure(501, `${path} is not indexed by this chain`)
  }),
)
