import { SubscribeRequestFilterBlocks, type SubscribeUpdateBlock } from '@fairlead/grpc/geyser'
import { someKey } from '../key-text.ts'
import type { BlockView } from '../update/update.ts'
import { readCuckooFilter } from './cuckoo-filter.ts'
import type { DataSlices } from './data-slices.ts'
import { readPublicKeys } from './public-keys.ts'
import { cutAccount } from './cut-account.ts'

/** The parts of a block that a subscriber receives. */
export interface BlockFilter {
  /** Equal for filters that produce the same block. */
  readonly key: string
  /** Returns the block with only the parts that the filter includes. */
  select(block: BlockView, slices: DataSlices | undefined): SubscribeUpdateBlock
}

/**
 * Parses a filter of blocks. Every block matches, but the filter limits its content.
 *
 * @param filter the filter of a request
 * @param field name of the filter for the error
 * @throws FilterError for an invalid filter
 */
export function readBlockFilter(filter: SubscribeRequestFilterBlocks, field: string): BlockFilter {
  const { includeTransactions = true, includeAccounts = false, includeEntries = false } = filter
  const keys = readPublicKeys(filter.accountInclude, `${field}.account_include`)
  const sketch =
    filter.cuckooAccountInclude &&
    readCuckooFilter(filter.cuckooAccountInclude, `${field}.cuckoo_account_include`)
  const matchesAll = keys.size === 0 && sketch === undefined
  const matches = (key: string, bytes: Uint8Array): boolean =>
    matchesAll || keys.has(key) || (sketch?.has(bytes) ?? false)

  return {
    key: Buffer.from(SubscribeRequestFilterBlocks.encode(filter).finish()).toString('base64'),
    select: ({ content, accounts, transactions }, slices) => ({
      ...content.meta,
      transactions: includeTransactions
        ? transactions
            .filter(
              ({ participants }) =>
                matchesAll ||
                someKey(keys, (key) => participants.keys.has(key)) ||
                (sketch !== undefined && participants.accounts.some((account) => sketch.has(account))),
            )
            .map(({ info }) => info)
        : [],
      updatedAccountCount: BigInt(accounts.length),
      accounts: includeAccounts
        ? accounts
            .filter(({ key, info }) => matches(key, info.pubkey))
            .map(({ info }) => cutAccount(info, slices))
        : [],
      entries: includeEntries ? [...content.entries] : [],
    }),
  }
}
