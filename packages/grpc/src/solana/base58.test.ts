import { getBase58Decoder, getBase58Encoder } from '@solana/kit'
import { describe, expect, it } from 'vitest'
import { decodeBase58, encodeBase58 } from './base58.ts'
import { bytesOf } from './testing/chain.ts'

describe('base58', () => {
  it('matches another library, including leading zeros', () => {
    for (let seed = 0; seed < 200; seed++) {
      const bytes = bytesOf(seed, seed % 70)
      bytes.fill(0, 0, seed % 5)
      const text = encodeBase58(bytes)
      expect(text).toBe(getBase58Decoder().decode(bytes))
      expect(decodeBase58(text)).toEqual(Uint8Array.from(getBase58Encoder().encode(text)))
    }
  })

  it('rejects other characters', () => {
    expect(() => decodeBase58('0OIl')).toThrow('DECODE_INVALID')
  })
})
