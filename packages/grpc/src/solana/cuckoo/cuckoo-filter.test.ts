import { describe, expect, it } from 'vitest'
import { encodeBase58 } from '../base58.ts'
import { bytesOf } from '../testing/chain.ts'
import { createCuckooFilter, matchesCuckooFilter } from './cuckoo-filter.ts'
import { sipHash } from './sip-hash.ts'

const count = (from: number, length: number) =>
  Array.from({ length }, (_, index) => bytesOf(from + index, 32))

describe('sipHash', () => {
  // Test vectors of the paper and of its reference implementation: key 00 01 .. 0f, message 00 01 .. of each length.
  it.each([
    [0, 0x726fdb47dd0e0e31n],
    [1, 0x74f839c593dc67fdn],
    [7, 0xab0200f58b01d137n],
    [8, 0x93f5f5799a932462n],
    [15, 0xa129ca6149be45e5n],
  ])('hashes %i bytes', (length, expected) => {
    const key = [0x0706050403020100n, 0x0f0e0d0c0b0a0908n] as const
    const { low, high } = sipHash(
      key,
      Uint8Array.from({ length }, (_, index) => index),
    )
    expect((BigInt(high) << 32n) | BigInt(low)).toBe(expected)
  })
})

describe('createCuckooFilter', () => {
  it.each([
    [1, 1],
    [3, 1],
    [4, 2],
    [100, 32],
    [1000, 512],
    [1945, 512],
  ])('packs %i addresses into %i buckets, and finds every one', (length, bucketCount) => {
    const addresses = count(1, length)
    const filter = createCuckooFilter(addresses)
    expect(filter).toMatchObject({
      bucketCount,
      entriesPerBucket: 4,
      fingerprintBits: 16,
      hashSeed: 0x796c6c7773746e21n,
      hashAlgorithm: 0,
    })
    expect(filter.data).toHaveLength(bucketCount * 8)
    expect(addresses.filter((address) => !matchesCuckooFilter(filter, address))).toEqual([])
  })

  it('has few false positives', () => {
    const filter = createCuckooFilter(count(1, 1900))
    const falsePositives = count(100_000, 20_000).filter((address) => matchesCuckooFilter(filter, address))
    expect(falsePositives.length).toBeLessThan(20)
  })

  it('reserves a capacity, and depends on the seed', () => {
    const addresses = count(1, 10)
    expect(createCuckooFilter(addresses, { capacity: 2_000_000 }).bucketCount).toBe(1_048_576)
    const reseeded = createCuckooFilter(addresses, { hashSeed: 1n })
    expect(reseeded.data).not.toEqual(createCuckooFilter(addresses).data)
    expect(addresses.every((address) => matchesCuckooFilter(reseeded, address))).toBe(true)
  })

  it('accepts base58, an empty list and duplicates', () => {
    const [address = new Uint8Array()] = count(1, 1)
    const filter = createCuckooFilter(Array.from({ length: 50 }, () => encodeBase58(address)))
    expect(matchesCuckooFilter(filter, encodeBase58(address))).toBe(true)
    expect(createCuckooFilter([]).bucketCount).toBe(1)
  })

  it('fits every small set', () => {
    for (let seed = 0; seed < 300; seed++) {
      const addresses = count(seed * 100, 2 + (seed % 20))
      const filter = createCuckooFilter(addresses)
      expect(addresses.every((address) => matchesCuckooFilter(filter, address))).toBe(true)
    }
  })

  it('names the invalid address', () => {
    expect(() => createCuckooFilter([bytesOf(1, 32), 'abc'])).toThrow('addresses[1]')
    expect(() => createCuckooFilter(count(1, 2), { capacity: 1 })).toThrow('capacity')
  })
})
