import { getBase58Encoder } from '@solana/kit'
import {
  TokenAccountExpansionControlFlag,
  type SubscribeRequestFilterTransactions,
} from '@fairlead/grpc/geyser'
import { keyText, someKey } from '../key-text.ts'
import type { Participants } from '../update/participants.ts'
import type { ExecutedTransaction } from '../update/update.ts'
import { readCuckooFilter } from './cuckoo-filter.ts'
import { FilterError } from './filter-error.ts'
import { readPublicKeys } from './public-keys.ts'

const signatureBytes = 64
const longestSignature = 88

/**
 * Parses a filter of transactions; all of its fields must match.
 *
 * @param filter the filter of a request
 * @param field name of the filter for the error
 * @returns whether a transaction matches
 * @throws FilterError for an invalid filter
 */
export function readTransactionFilter(
  filter: SubscribeRequestFilterTransactions,
  field: string,
): (executed: ExecutedTransaction) => boolean {
  const { vote, failed, cuckooAccountInclude } = filter
  const signature =
    filter.signature === undefined ? undefined : readSignature(filter.signature, `${field}.signature`)
  const included = readPublicKeys(filter.accountInclude, `${field}.account_include`)
  const excluded = readPublicKeys(filter.accountExclude, `${field}.account_exclude`)
  const required = readPublicKeys(filter.accountRequired, `${field}.account_required`)
  const sketch =
    cuckooAccountInclude && readCuckooFilter(cuckooAccountInclude, `${field}.cuckoo_account_include`)
  const ownersOf = readExpansion(filter.tokenAccounts, `${field}.token_accounts`)
  const matchesAll = included.size === 0 && sketch === undefined

  return ({ info, participants }) => {
    if (vote !== undefined && vote !== info.isVote) return false
    if (failed !== undefined && failed !== (info.meta?.err !== undefined)) return false
    if (signature !== undefined && signature !== keyText(info.signature)) return false
    const participates = (key: string): boolean =>
      participants.keys.has(key) || (ownersOf?.(participants).has(key) ?? false)
    const isIncluded = (): boolean =>
      matchesAll ||
      someKey(included, participates) ||
      (sketch !== undefined && participants.accounts.some((account) => sketch.has(account))) ||
      (sketch !== undefined &&
        ownersOf !== undefined &&
        someKey(ownersOf(participants), (owner) => sketch.has(Buffer.from(owner, 'latin1'))))
    return isIncluded() && !someKey(excluded, participates) && !someKey(required, (key) => !participates(key))
  }
}

// Determines which owners of token balances count like accounts of the transaction.
function readExpansion(
  flag: TokenAccountExpansionControlFlag | undefined,
  field: string,
): ((participants: Participants) => ReadonlySet<string>) | undefined {
  switch (flag) {
    case undefined:
      return undefined
    case TokenAccountExpansionControlFlag.ALL:
      return ({ tokenOwners }) => tokenOwners
    case TokenAccountExpansionControlFlag.BALANCE_CHANGED:
      return ({ changedTokenOwners }) => changedTokenOwners
    default:
      throw new FilterError(`${field} must be ALL or BALANCE_CHANGED`)
  }
}

function readSignature(text: string, field: string): string {
  const bytes = text.length > longestSignature ? undefined : decode(text)
  if (bytes?.byteLength !== signatureBytes)
    throw new FilterError(`${field} must be a signature, 64 bytes in base58`)
  return keyText(bytes)
}

function decode(text: string): Uint8Array | undefined {
  try {
    return new Uint8Array(getBase58Encoder().encode(text))
  } catch {
    return undefined
  }
}
