import { getBase58Encoder } from '@solana/kit'
import type {
  SubscribeRequestFilterAccountsFilter,
  SubscribeRequestFilterAccountsFilterLamports,
  SubscribeRequestFilterAccountsFilterMemcmp,
  SubscribeUpdateAccountInfo,
} from '@fairlead/grpc/geyser'
import { FilterError } from './filter-error.ts'

const maxFilters = 4
const maxComparedBytes = 128
const longestBase58 = 175
const longestBase64 = 172
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

// Layout of an account of the token programs; https://github.com/solana-program/token-2022
const tokenAccountBytes = 165
const multisigBytes = 355
const tokenStateOffset = 108
const accountType = { offset: 165, tokenAccount: 2 } as const

/** Whether an account matches. */
export type AccountTest = (account: SubscribeUpdateAccountInfo) => boolean

/**
 * Parses the conditions on the content of accounts; all of them must match.
 *
 * @param filters the conditions of a request
 * @param field name of the list for the error
 * @throws FilterError for too many conditions, for a second size, and for values out of bounds
 */
export function readContentFilters(
  filters: readonly SubscribeRequestFilterAccountsFilter[],
  field: string,
): AccountTest {
  if (filters.length > maxFilters) throw new FilterError(`${field} must be at most ${maxFilters}`)
  if (filters.filter(({ filter }) => filter?.$case === 'datasize').length > 1)
    throw new FilterError(`${field} must have datasize once at most`)
  const tests = filters.map((filter, index) => readContentFilter(filter, `${field}[${index}]`))
  return (account) => tests.every((test) => test(account))
}

function readContentFilter({ filter }: SubscribeRequestFilterAccountsFilter, field: string): AccountTest {
  switch (filter?.$case) {
    case 'memcmp':
      return readComparison(filter.value, `${field}.memcmp`)
    case 'datasize': {
      const size = filter.value
      return ({ data }) => BigInt(data.byteLength) === size
    }
    case 'tokenAccountState':
      if (!filter.value) throw new FilterError(`${field}.token_account_state must be true`)
      return ({ data }) => holdsTokenAccount(data)
    case 'lamports':
      return readLamports(filter.value, `${field}.lamports`)
    case undefined:
    default:
      throw new FilterError(`${field} must have a condition`)
  }
}

function readComparison(
  { offset, data }: SubscribeRequestFilterAccountsFilterMemcmp,
  field: string,
): AccountTest {
  const wanted = readCompared(data, field)
  if (wanted.byteLength > maxComparedBytes)
    throw new FilterError(`${field} must compare at most ${maxComparedBytes} bytes`)
  return (account) => {
    if (offset + BigInt(wanted.byteLength) > BigInt(account.data.byteLength)) return false
    const start = Number(offset)
    return wanted.equals(account.data.subarray(start, start + wanted.byteLength))
  }
}

function readCompared(data: SubscribeRequestFilterAccountsFilterMemcmp['data'], field: string): Buffer {
  switch (data?.$case) {
    case 'bytes':
      return Buffer.from(data.value)
    case 'base58':
      if (data.value.length > longestBase58)
        throw new FilterError(`${field}.base58 must have at most ${longestBase58} characters`)
      try {
        return Buffer.from(getBase58Encoder().encode(data.value))
      } catch {
        throw new FilterError(`${field}.base58 must be a text in base58`)
      }
    case 'base64':
      if (data.value.length > longestBase64)
        throw new FilterError(`${field}.base64 must have at most ${longestBase64} characters`)
      if (!base64.test(data.value)) throw new FilterError(`${field}.base64 must be a text in base64`)
      return Buffer.from(data.value, 'base64')
    case undefined:
    default:
      throw new FilterError(`${field} must have data`)
  }
}

function readLamports({ cmp }: SubscribeRequestFilterAccountsFilterLamports, field: string): AccountTest {
  if (cmp === undefined) throw new FilterError(`${field} must have a comparison`)
  const compare = comparisons[cmp.$case]
  return ({ lamports }) => compare(lamports, cmp.value)
}

const comparisons = {
  eq: (lamports: bigint, value: bigint) => lamports === value,
  ne: (lamports: bigint, value: bigint) => lamports !== value,
  lt: (lamports: bigint, value: bigint) => lamports < value,
  gt: (lamports: bigint, value: bigint) => lamports > value,
}

// A token account with extensions contains its account type after the part that all token accounts have.
function holdsTokenAccount(data: Uint8Array): boolean {
  const size = data.byteLength
  const isOfKind =
    size === tokenAccountBytes ||
    (size > tokenAccountBytes &&
      size !== multisigBytes &&
      data[accountType.offset] === accountType.tokenAccount)
  return isOfKind && data[tokenStateOffset] !== 0
}
