import {
  CommitmentLevel,
  type SubscribeRequest,
  type SubscribeRequestAccountsDataSlice,
  type SubscribeRequestFilterBlocks,
  type SubscribeRequestFilterSlots,
  type SubscribeRequestFilterTransactions,
  TokenAccountExpansionControlFlag,
} from '../../generated/geyser.ts'
import { accountFilter, requireCuckoo } from './account-filter.ts'
import {
  refusal,
  requireAddresses,
  requireBase58,
  requireBoolean,
  requireFields,
  requireList,
  requireUint64,
} from './check.ts'
import type {
  BlockFilter,
  DataSlice,
  GeyserFilters,
  Named,
  SlotFilter,
  TransactionFilter,
} from './geyser-filters.ts'

/** Name of the filter that subscriptions add to follow the blocks. */
export const reservedName = '__fairlead'

const maxNameBytes = 128

/**
 * Validates filters and converts them to the subscription message.
 *
 * @param filters - the filters of the subscription
 * @returns a request without `ping` and `fromSlot`
 * @throws FairleadError `CONFIG_INVALID` with the field and the violated rule
 * @example
 * ```ts
 * toSubscribeRequest({ slots: { all: {} }, commitment: CommitmentLevel.CONFIRMED })
 * ```
 * @see specs/grpc/geyser.proto, SubscribeRequest
 */
export function toSubscribeRequest(filters: GeyserFilters): SubscribeRequest {
  requireFields('filters', filters, [
    'accounts',
    'slots',
    'transactions',
    'transactionsStatus',
    'blocks',
    'blocksMeta',
    'entry',
    'commitment',
    'accountsDataSlice',
  ])
  const { commitment, accountsDataSlice } = filters
  requireChoice('filters.commitment', commitment, Object.values(CommitmentLevel))
  return {
    accounts: named('filters.accounts', filters.accounts, accountFilter),
    slots: named('filters.slots', filters.slots, slotFilter),
    transactions: named('filters.transactions', filters.transactions, transactionFilter),
    transactionsStatus: named('filters.transactionsStatus', filters.transactionsStatus, transactionFilter),
    blocks: named('filters.blocks', filters.blocks, blockFilter),
    blocksMeta: named('filters.blocksMeta', filters.blocksMeta, emptyFilter),
    entry: named('filters.entry', filters.entry, emptyFilter),
    commitment,
    accountsDataSlice: dataSlices('filters.accountsDataSlice', accountsDataSlice),
    ping: undefined,
    fromSlot: undefined,
  }
}

function named<filter, message>(
  option: string,
  filters: Named<filter> | undefined,
  toMessage: (option: string, filter: filter) => message,
): Record<string, message> {
  if (filters === undefined) return {}
  if (typeof filters !== 'object' || filters === null || Array.isArray(filters)) {
    throw refusal(option, 'must be an object of filters by name', filters)
  }
  const entries = Object.entries(filters).map(([name, filter]) => {
    if (new TextEncoder().encode(name).length > maxNameBytes) {
      throw refusal(option, `must have names of at most ${maxNameBytes} bytes`)
    }
    if (name === reservedName) throw refusal(`${option}.${name}`, 'must have another name')
    return [name, toMessage(`${option}.${name}`, filter)] as const
  })
  return Object.fromEntries(entries)
}

function slotFilter(option: string, filter: SlotFilter): SubscribeRequestFilterSlots {
  requireFields(option, filter, ['filterByCommitment', 'interslotUpdates'])
  return {
    filterByCommitment: requireBoolean(`${option}.filterByCommitment`, filter.filterByCommitment),
    interslotUpdates: requireBoolean(`${option}.interslotUpdates`, filter.interslotUpdates),
  }
}

function transactionFilter(option: string, filter: TransactionFilter): SubscribeRequestFilterTransactions {
  requireFields(option, filter, [
    'vote',
    'failed',
    'signature',
    'accountInclude',
    'accountExclude',
    'accountRequired',
    'cuckooAccountInclude',
    'tokenAccounts',
  ])
  const { signature, tokenAccounts } = filter
  requireChoice(`${option}.tokenAccounts`, tokenAccounts, Object.values(TokenAccountExpansionControlFlag))
  return {
    vote: requireBoolean(`${option}.vote`, filter.vote),
    failed: requireBoolean(`${option}.failed`, filter.failed),
    signature: signature === undefined ? undefined : requireBase58(`${option}.signature`, signature, 64),
    accountInclude: requireAddresses(`${option}.accountInclude`, filter.accountInclude),
    accountExclude: requireAddresses(`${option}.accountExclude`, filter.accountExclude),
    accountRequired: requireAddresses(`${option}.accountRequired`, filter.accountRequired),
    cuckooAccountInclude: requireCuckoo(`${option}.cuckooAccountInclude`, filter.cuckooAccountInclude),
    tokenAccounts,
  }
}

function blockFilter(option: string, filter: BlockFilter): SubscribeRequestFilterBlocks {
  requireFields(option, filter, [
    'accountInclude',
    'includeTransactions',
    'includeAccounts',
    'includeEntries',
    'cuckooAccountInclude',
  ])
  return {
    accountInclude: requireAddresses(`${option}.accountInclude`, filter.accountInclude),
    includeTransactions: requireBoolean(`${option}.includeTransactions`, filter.includeTransactions),
    includeAccounts: requireBoolean(`${option}.includeAccounts`, filter.includeAccounts),
    includeEntries: requireBoolean(`${option}.includeEntries`, filter.includeEntries),
    cuckooAccountInclude: requireCuckoo(`${option}.cuckooAccountInclude`, filter.cuckooAccountInclude),
  }
}

function emptyFilter(option: string, filter: object): Record<string, never> {
  requireFields(option, filter, [])
  return {}
}

function dataSlices(
  option: string,
  slices: readonly DataSlice[] | undefined,
): SubscribeRequestAccountsDataSlice[] {
  let end = 0n
  return requireList(option, slices).map((slice, position) => {
    const path = `${option}[${position}]`
    requireFields(path, slice, ['offset', 'length'])
    const offset = requireUint64(`${path}.offset`, slice.offset)
    const length = requireUint64(`${path}.length`, slice.length)
    if (offset < end) throw refusal(path, 'must begin where the slice before it ends, or later')
    end = offset + length
    return { offset, length }
  })
}

function requireChoice(option: string, value: number | undefined, choices: readonly number[]): void {
  if (value !== undefined && !choices.includes(value)) {
    throw refusal(option, `must be one of ${choices.join(', ')}`)
  }
}
