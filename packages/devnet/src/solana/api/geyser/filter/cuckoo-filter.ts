import { CuckooHashAlgorithm, type CuckooFilter } from '@fairlead/grpc/geyser'
import { FilterError } from './filter-error.ts'
import { sipHash } from './sip-hash.ts'

const entriesPerBucket = 4
const fingerprintBits = 16
const bytesPerEntry = fingerprintBits / 8
const keyBytes = 32

/** A compact probabilistic set of public keys; false positives are possible, false negatives are not. */
export interface KeySketch {
  /** @param key 32 bytes */
  has(key: Uint8Array): boolean
}

/**
 * Parses a cuckoo filter of public keys, in the format of the native clients.
 *
 * @param filter the filter of a request
 * @param field name of the filter for the error
 * @throws FilterError for parameters that differ from those of the clients, and for data whose length does not match
 * them
 */
export function readCuckooFilter(filter: CuckooFilter, field: string): KeySketch {
  const { bucketCount, hashSeed } = filter
  if (filter.hashAlgorithm !== CuckooHashAlgorithm.SIP_HASH)
    throw new FilterError(`${field}.hash_algorithm must be SIP_HASH`)
  requireNumber(filter.entriesPerBucket, entriesPerBucket, `${field}.entries_per_bucket`)
  requireNumber(filter.fingerprintBits, fingerprintBits, `${field}.fingerprint_bits`)
  if (bucketCount === 0 || (bucketCount & (bucketCount - 1)) !== 0)
    throw new FilterError(`${field}.bucket_count must be a power of two`)
  const bytesPerBucket = entriesPerBucket * bytesPerEntry
  if (filter.data.byteLength !== bucketCount * bytesPerBucket)
    throw new FilterError(`${field}.data must have ${bytesPerBucket} bytes for each bucket`)

  const data = new DataView(filter.data.buffer, filter.data.byteOffset, filter.data.byteLength)
  const mask = BigInt(bucketCount - 1)
  const bucketHas = (bucket: bigint, fingerprint: number): boolean => {
    const start = Number(bucket) * bytesPerBucket
    for (let entry = 0; entry < entriesPerBucket; entry++)
      if (data.getUint16(start + entry * bytesPerEntry, true) === fingerprint) return true
    return false
  }
  return {
    has: (key) => {
      const hash = sipHash(hashSeed, withLength(key))
      const fingerprint = Number((hash >> 32n) & 0xffffn) || 1
      const first = hash & mask
      if (bucketHas(first, fingerprint)) return true
      const step = sipHash(hashSeed, Uint8Array.of(fingerprint & 0xff, fingerprint >> 8)) & mask
      return bucketHas(first ^ step, fingerprint)
    },
  }
}

// The hash of a byte slice includes its length as a prefix.
function withLength(key: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(8 + keyBytes)
  bytes[0] = keyBytes
  bytes.set(key.subarray(0, keyBytes), 8)
  return bytes
}

function requireNumber(value: number, expected: number, field: string): void {
  if (value !== expected) throw new FilterError(`${field} must be ${expected}`)
}
