import { SubscribeRequestFilterBlocks, type SubscribeUpdateBlock } from '@fairlead/grpc/geyser'
import { someKey } from '../key-text.ts'
import type { BlockView } from '../update/update.ts'
import { readCuckooFilter } from './cuckoo-filter.ts'
import type { DataSlices } from './data-slices.ts'
import { readPublicKeys } from './public-keys.ts'
import { cutAccount } from './cut-account.ts'

/** What a subscriber wants to have in the blocks. */
export interface BlockFilter {
  /** The same for filters that leave the same in a block. */
  readonly key: string
  /** Leaves in a block what the filter asks for. */
  thin(block: BlockView, slices: DataSlices | undefined): SubscribeUpdateBlock
}

/**
 * Reads a filter of blocks. It lets every block pass, but not all of what is in it.
 *
 * @param filter the filter of a request
 * @param field name of the filter for the error
 * @throws FilterFault for a filter that breaks a rule
 */
export function readBlockFilter(filter: SubscribeRequestFilterBlocks, field: string): BlockFilter {
  const { includeTransactions = true, includeAccounts = false, includeEntries = false } = filter
  const keys = readPublicKeys(filter.accountInclude, `${field}.account_include`)
  const sketch =
    filter.cuckooAccountInclude &&
    readCuckooFilter(filter.cuckooAccountInclude, `${field}.cuckoo_account_include`)
  const everybody = keys.size === 0 && sketch === undefined
  const isWanted = (key: string, bytes: Uint8Array): boolean =>
    everybody || keys.has(key) || (sketch?.has(bytes) ?? false)

  return {
    key: Buffer.from(SubscribeRequestFilterBlocks.encode(filter).finish()).toString('base64'),
    thin: ({ content, accounts, transactions }, slices) => ({
      ...content.meta,
      transactions: includeTransactions
        ? transactions
            .filter(
              ({ participants }) =>
                everybody ||
                someKey(keys, (key) => participants.keys.has(key)) ||
                (sketch !== undefined && participants.accounts.some((account) => sketch.has(account))),
            )
            .map(({ info }) => info)
        : [],
      updatedAccountCount: BigInt(accounts.length),
      accounts: includeAccounts
        ? accounts
            .filter(({ key, info }) => isWanted(key, info.pubkey))
            .map(({ info }) => cutAccount(info, slices))
        : [],
      entries: includeEntries ? [...content.entries] : [],
    }),
  }
}
