const wordBytes = 8

/**
 * Computes the SipHash-2-4 of bytes, with the keys that cuckoo filters derive from a seed: the seed itself, and the
 * seed with its halves swapped.
 *
 * @param seed 64 bits
 * @param bytes the bytes to hash
 * @returns 64 bits
 * @see https://www.aumasson.jp/siphash/siphash.pdf
 */
export function sipHash(seed: bigint, bytes: Uint8Array): bigint {
  const otherKey = rotate(seed, 32n)
  const state: State = [
    seed ^ 0x736f6d6570736575n,
    otherKey ^ 0x646f72616e646f6dn,
    seed ^ 0x6c7967656e657261n,
    otherKey ^ 0x7465646279746573n,
  ]
  const wholeWords = Math.floor(bytes.byteLength / wordBytes)
  const last = new DataView(new ArrayBuffer(wordBytes))
  for (const [index, byte] of bytes.subarray(wholeWords * wordBytes).entries()) last.setUint8(index, byte)
  last.setUint8(wordBytes - 1, bytes.byteLength & 0xff)

  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let word = 0; word < wholeWords; word++) absorb(state, words.getBigUint64(word * wordBytes, true))
  absorb(state, last.getBigUint64(0, true))
  state[2] ^= 0xffn
  for (let round = 0; round < 4; round++) mix(state)
  return state[0] ^ state[1] ^ state[2] ^ state[3]
}

type State = [bigint, bigint, bigint, bigint]

function absorb(state: State, word: bigint): void {
  state[3] ^= word
  mix(state)
  mix(state)
  state[0] ^= word
}

function mix(state: State): void {
  let [a, b, c, d] = state
  a = BigInt.asUintN(64, a + b)
  b = rotate(b, 13n) ^ a
  a = rotate(a, 32n)
  c = BigInt.asUintN(64, c + d)
  d = rotate(d, 16n) ^ c
  a = BigInt.asUintN(64, a + d)
  d = rotate(d, 21n) ^ a
  c = BigInt.asUintN(64, c + b)
  b = rotate(b, 17n) ^ c
  c = rotate(c, 32n)
  state[0] = a
  state[1] = b
  state[2] = c
  state[3] = d
}

function rotate(word: bigint, bits: bigint): bigint {
  return BigInt.asUintN(64, word << bits) | (word >> (64n - bits))
}
