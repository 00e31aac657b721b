import { Failure } from '../../failure.ts'
import { query } from '../operation.ts'

/** Contracts that the index of this chain does not look for. */
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

/** The operations of the indexer that this chain has no rows for, and says so. */
export const notIndexed = paths.map((path) =>
  query(path, {}, () => {
    throw new Failure(501, `${path} is not indexed by this chain`)
  }),
)
