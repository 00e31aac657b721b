import type {
  CuckooFilter,
  SubscribeRequestFilterAccounts,
  SubscribeRequestFilterAccountsFilter,
  SubscribeRequestFilterAccountsFilterMemcmp,
} from '../../generated/geyser.ts'
import { bytesOfBase58 } from '../base58.ts'
import {
  refusal,
  requireAddresses,
  requireBoolean,
  requireFields,
  requireList,
  requireUint64,
} from './check.ts'
import type { AccountCondition, AccountFilter, LamportsCondition, Memcmp } from './geyser-filters.ts'

const maxConditions = 4
const maxMemcmpBytes = 128
const maxMemcmpBase58 = 175
const maxMemcmpBase64 = 172

/** Validates an account filter and converts it to its message. */
export function accountFilter(option: string, filter: AccountFilter): SubscribeRequestFilterAccounts {
  requireFields(option, filter, [
    'account',
    'owner',
    'filters',
    'nonemptyTxnSignature',
    'cuckooAccountsFilter',
  ])
  const conditions = requireList(`${option}.filters`, filter.filters)
  if (conditions.length > maxConditions) {
    throw refusal(`${option}.filters`, `must be at most ${maxConditions}`)
  }
  const filters = conditions.map((condition, position) =>
    accountCondition(`${option}.filters[${position}]`, condition),
  )
  if (filters.filter((condition) => condition.filter?.$case === 'datasize').length > 1) {
    throw refusal(`${option}.filters`, 'must have datasize at most once')
  }
  return {
    account: requireAddresses(`${option}.account`, filter.account),
    owner: requireAddresses(`${option}.owner`, filter.owner),
    filters,
    nonemptyTxnSignature: requireBoolean(`${option}.nonemptyTxnSignature`, filter.nonemptyTxnSignature),
    cuckooAccountsFilter: requireCuckoo(`${option}.cuckooAccountsFilter`, filter.cuckooAccountsFilter),
  }
}

/** Rejects a cuckoo filter with inconsistent numbers. */
export function requireCuckoo(option: string, filter: CuckooFilter | undefined): CuckooFilter | undefined {
  if (filter === undefined) return undefined
  const { data, bucketCount, entriesPerBucket, fingerprintBits } = filter
  if (!(data instanceof Uint8Array)) throw refusal(`${option}.data`, 'must be bytes', data)
  const isPower = Number.isInteger(bucketCount) && bucketCount > 0 && Number.isInteger(Math.log2(bucketCount))
  if (!isPower) throw refusal(`${option}.bucketCount`, 'must be a power of two')
  if (data.length * 8 !== bucketCount * entriesPerBucket * fingerprintBits) {
    throw refusal(`${option}.data`, 'must have a place for each entry of each bucket', data)
  }
  return filter
}

function accountCondition(option: string, condition: AccountCondition): SubscribeRequestFilterAccountsFilter {
  requireFields(option, condition, ['memcmp', 'datasize', 'tokenAccountState', 'lamports'])
  requireSingleField(option, condition)
  if ('memcmp' in condition) {
    return { filter: { $case: 'memcmp', value: memcmp(`${option}.memcmp`, condition.memcmp) } }
  }
  if ('datasize' in condition) {
    return {
      filter: { $case: 'datasize', value: requireUint64(`${option}.datasize`, condition.datasize) },
    }
  }
  if ('lamports' in condition) {
    return {
      filter: { $case: 'lamports', value: { cmp: lamports(`${option}.lamports`, condition.lamports) } },
    }
  }
  if (!condition.tokenAccountState) throw refusal(`${option}.tokenAccountState`, 'must be true')
  return { filter: { $case: 'tokenAccountState', value: true } }
}

function memcmp(option: string, condition: Memcmp): SubscribeRequestFilterAccountsFilterMemcmp {
  requireFields(option, condition, ['offset', 'bytes', 'base58', 'base64'])
  const offset = requireUint64(`${option}.offset`, condition.offset)
  const { offset: _, ...data } = condition
  requireSingleField(option, data)
  if ('bytes' in condition) {
    const { bytes } = condition
    if (!(bytes instanceof Uint8Array) || bytes.length > maxMemcmpBytes) {
      throw refusal(`${option}.bytes`, `must be at most ${maxMemcmpBytes} bytes`, bytes)
    }
    return { offset, data: { $case: 'bytes', value: bytes } }
  }
  const [form, text, maxLength] =
    'base58' in condition
      ? (['base58', condition.base58, maxMemcmpBase58] as const)
      : (['base64', condition.base64, maxMemcmpBase64] as const)
  const rule = `must be at most ${maxMemcmpBytes} bytes in ${form}`
  if (typeof text !== 'string' || text.length > maxLength) throw refusal(`${option}.${form}`, rule, text)
  const bytes = form === 'base58' ? bytesOfBase58(text) : bytesOfBase64(text)
  if (!bytes || bytes.length > maxMemcmpBytes) throw refusal(`${option}.${form}`, rule, text)
  return { offset, data: { $case: form, value: text } }
}

function lamports(option: string, condition: LamportsCondition) {
  requireFields(option, condition, ['eq', 'ne', 'lt', 'gt'])
  requireSingleField(option, condition)
  if ('eq' in condition) return { $case: 'eq', value: requireUint64(`${option}.eq`, condition.eq) } as const
  if ('ne' in condition) return { $case: 'ne', value: requireUint64(`${option}.ne`, condition.ne) } as const
  if ('lt' in condition) return { $case: 'lt', value: requireUint64(`${option}.lt`, condition.lt) } as const
  return { $case: 'gt', value: requireUint64(`${option}.gt`, condition.gt) } as const
}

function requireSingleField(option: string, value: object): void {
  if (Object.keys(value).length !== 1) throw refusal(option, 'must have exactly one condition')
}

function bytesOfBase64(text: string): Uint8Array | undefined {
  // Some runtimes ignore spaces, servers do not.
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}
