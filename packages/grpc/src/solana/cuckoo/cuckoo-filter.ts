import { FairleadError } from '@fairlead/core'
import { type CuckooFilter, CuckooHashAlgorithm } from '../../generated/geyser.ts'
import { bytesOfBase58 } from '../base58.ts'
import { sipHash } from './sip-hash.ts'

/** Options of {@link createCuckooFilter}. */
export interface CuckooFilterOptions {
  /** Capacity in keys, at least the number of keys. Default: the number of keys. */
  readonly capacity?: number | undefined
  /** 64-bit seed of the hashes. Default 0x796c6c7773746e21. */
  readonly hashSeed?: bigint | undefined
}

const defaultSeed = 0x796c6c7773746e21n
const entriesPerBucket = 4
const fingerprintBits = 16
const loadFactor = 0.95
const maxEvictions = 500

/**
 * Packs many addresses into a filter of about 2.2 bytes each, for `cuckooAccountsFilter` and `cuckooAccountInclude`.
 *
 * The server then sends updates for any of the addresses, and occasionally false positives: check the received updates
 * against your own set.
 *
 * @param addresses - in base58, or their 32 bytes
 * @param options - capacity in addresses, and the seed of the hashes
 * @returns the message for a filter
 * @throws FairleadError `CONFIG_INVALID` when an address is invalid, or the capacity is too small
 * @example
 * ```ts
 * const wallets = createCuckooFilter(addresses)
 * subscribeGeyser(geyser, { accounts: { wallets: { cuckooAccountsFilter: wallets } } })
 * ```
 * @see specs/grpc/geyser.proto, CuckooFilter
 */
export function createCuckooFilter(
  addresses: readonly (string | Uint8Array)[],
  { capacity = addresses.length, hashSeed = defaultSeed }: CuckooFilterOptions = {},
): CuckooFilter {
  if (!Number.isSafeInteger(capacity) || capacity < addresses.length) {
    throw new FairleadError('CONFIG_INVALID', {
      option: 'capacity',
      rule: 'must be a whole number, at least that of the addresses',
    })
  }
  const keys = addresses.map(bytesOf)
  let bucketCount = bucketsFor(capacity)
  let slots = fill(keys, hashSeed, bucketCount)
  // Insertion can fail by chance; in a filter of two buckets that is not even rare.
  while (!slots) slots = fill(keys, hashSeed, (bucketCount *= 2))
  const data = new Uint8Array(slots.length * 2)
  const view = new DataView(data.buffer)
  for (const [slot, fingerprint] of slots.entries()) view.setUint16(slot * 2, fingerprint, true)
  return {
    data,
    bucketCount,
    entriesPerBucket,
    fingerprintBits,
    hashSeed,
    hashAlgorithm: CuckooHashAlgorithm.SIP_HASH,
  }
}

/**
 * Returns whether a filter matches an address.
 *
 * @param filter - created by {@link createCuckooFilter}
 * @param address - in base58, or its 32 bytes
 * @returns true for every packed address, and for about one in 8000 others
 * @throws FairleadError `CONFIG_INVALID` when the address is invalid
 * @example
 * ```ts
 * matchesCuckooFilter(createCuckooFilter([wallet]), wallet) // true
 * ```
 * @see specs/grpc/geyser.proto, CuckooFilter
 */
export function matchesCuckooFilter(filter: CuckooFilter, address: string | Uint8Array): boolean {
  const hash = hasherOf(filter)
  const { fingerprint, bucket } = hash.locate(bytesOf(address))
  const view = new DataView(filter.data.buffer, filter.data.byteOffset, filter.data.byteLength)
  const bucketContains = (index: number) => {
    for (let entry = 0; entry < filter.entriesPerBucket; entry++) {
      if (view.getUint16((index * filter.entriesPerBucket + entry) * 2, true) === fingerprint) return true
    }
    return false
  }
  return bucketContains(bucket) || bucketContains(hash.alternateBucket(bucket, fingerprint))
}

interface Hasher {
  locate(address: Uint8Array): { fingerprint: number; bucket: number }
  alternateBucket(bucket: number, fingerprint: number): number
}

function hasherOf({ hashSeed, bucketCount }: Pick<CuckooFilter, 'hashSeed' | 'bucketCount'>): Hasher {
  const seed = BigInt.asUintN(64, hashSeed)
  const key = [seed, BigInt.asUintN(64, (seed << 32n) | (seed >> 32n))] as const
  const mask = bucketCount - 1
  // The length of the address comes first, in eight bytes.
  const lengthAndAddress = new Uint8Array(40)
  lengthAndAddress[0] = 32
  const twoBytes = new Uint8Array(2)
  return {
    locate(address) {
      lengthAndAddress.set(address, 8)
      const { low, high } = sipHash(key, lengthAndAddress)
      return { fingerprint: high & 0xffff || 1, bucket: (low & mask) >>> 0 }
    },
    alternateBucket(bucket, fingerprint) {
      twoBytes[0] = fingerprint & 0xff
      twoBytes[1] = fingerprint >>> 8
      return (bucket ^ (sipHash(key, twoBytes).low & mask)) >>> 0
    },
  }
}

/** Puts all keys into buckets; undefined when one does not fit. */
function fill(keys: readonly Uint8Array[], hashSeed: bigint, bucketCount: number): Uint16Array | undefined {
  const slots = new Uint16Array(bucketCount * entriesPerBucket)
  const hash = hasherOf({ hashSeed, bucketCount })
  return keys.every((key) => insert(slots, hash, key)) ? slots : undefined
}

function insert(slots: Uint16Array, hash: Hasher, key: Uint8Array): boolean {
  const { fingerprint, bucket } = hash.locate(key)
  let current = hash.alternateBucket(bucket, fingerprint)
  // The same fingerprint in one of the two buckets serves both keys.
  if (put(slots, bucket, fingerprint) || holds(slots, current, fingerprint)) return true
  let moving = fingerprint
  for (let evictions = 0; evictions <= maxEvictions; evictions++) {
    if (put(slots, current, moving)) return true
    // Any entry can be evicted, as long as another one is chosen when the same bucket is visited again.
    const victim = current * entriesPerBucket + (evictions % entriesPerBucket)
    const evicted = slots[victim] ?? 0
    slots[victim] = moving
    moving = evicted
    current = hash.alternateBucket(current, moving)
  }
  return false
}

function holds(slots: Uint16Array, bucket: number, fingerprint: number): boolean {
  const first = bucket * entriesPerBucket
  return slots.subarray(first, first + entriesPerBucket).includes(fingerprint)
}

/** Puts a fingerprint into a bucket that has a free entry, or already contains it. */
function put(slots: Uint16Array, bucket: number, fingerprint: number): boolean {
  const first = bucket * entriesPerBucket
  if (holds(slots, bucket, fingerprint)) return true
  const free = slots.subarray(first, first + entriesPerBucket).indexOf(0)
  if (free < 0) return false
  slots[first + free] = fingerprint
  return true
}

function bucketsFor(capacity: number): number {
  const minBuckets = Math.max(1, Math.ceil(capacity / (loadFactor * entriesPerBucket)))
  return 2 ** Math.ceil(Math.log2(minBuckets))
}

function bytesOf(address: string | Uint8Array, position?: number): Uint8Array {
  const bytes = typeof address === 'string' ? bytesOfBase58(address) : address
  if (bytes?.length === 32) return bytes
  throw new FairleadError('CONFIG_INVALID', {
    option: position === undefined ? 'address' : `addresses[${position}]`,
    rule: 'must be an address: 32 bytes, or base58 of 32 bytes',
  })
}
