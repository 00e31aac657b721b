import type { SubscribeRequestFilterAccounts } from '@fairlead/grpc/geyser'
import type { WrittenAccount } from '../update/update.ts'
import { readContentFilters } from './account-content.ts'
import { readCuckooFilter } from './cuckoo-filter.ts'
import { readPublicKeys } from './public-keys.ts'

/**
 * Parses a filter of accounts; all of its fields must match, and a list matches if any item does.
 *
 * @param filter the filter of a request
 * @param field name of the filter for the error
 * @returns whether an account matches
 * @throws FilterError for an invalid filter
 */
export function readAccountFilter(
  filter: SubscribeRequestFilterAccounts,
  field: string,
): (written: WrittenAccount) => boolean {
  const { nonemptyTxnSignature, cuckooAccountsFilter } = filter
  const keys = readPublicKeys(filter.account, `${field}.account`)
  const owners = readPublicKeys(filter.owner, `${field}.owner`)
  const sketch =
    cuckooAccountsFilter && readCuckooFilter(cuckooAccountsFilter, `${field}.cuckoo_accounts_filter`)
  const contentMatches = readContentFilters(filter.filters, `${field}.filters`)
  const everyKey = keys.size === 0 && sketch === undefined
  return ({ info, key, owner }) =>
    (everyKey || keys.has(key) || (sketch?.has(info.pubkey) ?? false)) &&
    (owners.size === 0 || owners.has(owner)) &&
    (nonemptyTxnSignature === undefined || nonemptyTxnSignature === (info.txnSignature !== undefined)) &&
    contentMatches(info)
}
