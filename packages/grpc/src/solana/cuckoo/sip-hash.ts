/** A 64-bit number in two halves, because arithmetic with `bigint` is a hundred times as slow. */
export interface Word {
  low: number
  high: number
}

/**
 * Hashes bytes with SipHash-2-4.
 *
 * @param key - the two halves of the key, k0 and k1
 * @param bytes - the input
 * @returns the 64-bit hash
 * @see https://www.aumasson.jp/siphash/siphash.pdf
 */
export function sipHash(key: readonly [bigint, bigint], bytes: Uint8Array): Word {
  const v0 = toWord(key[0] ^ 0x736f6d6570736575n)
  const v1 = toWord(key[1] ^ 0x646f72616e646f6dn)
  const v2 = toWord(key[0] ^ 0x6c7967656e657261n)
  const v3 = toWord(key[1] ^ 0x7465646279746573n)
  const state: State = [v0, v1, v2, v3]
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const alignedLength = bytes.length & ~7
  for (let at = 0; at < alignedLength; at += 8) {
    absorb(state, view.getUint32(at, true), view.getUint32(at + 4, true))
  }
  // The last word contains the remaining bytes, and the length in its highest byte.
  const last = new DataView(new ArrayBuffer(8))
  for (let at = alignedLength; at < bytes.length; at++) last.setUint8(at - alignedLength, bytes[at] ?? 0)
  last.setUint8(7, bytes.length & 0xff)
  absorb(state, last.getUint32(0, true), last.getUint32(4, true))
  v2.low ^= 0xff
  for (let round = 0; round < 4; round++) mix(state)
  return {
    low: (v0.low ^ v1.low ^ v2.low ^ v3.low) >>> 0,
    high: (v0.high ^ v1.high ^ v2.high ^ v3.high) >>> 0,
  }
}

type State = readonly [Word, Word, Word, Word]

function absorb(state: State, low: number, high: number): void {
  const [v0, , , v3] = state
  v3.low ^= low
  v3.high ^= high
  mix(state)
  mix(state)
  v0.low ^= low
  v0.high ^= high
}

function mix([v0, v1, v2, v3]: State): void {
  add(v0, v1)
  rotate(v1, 13)
  exclusiveOr(v1, v0)
  swap(v0)
  add(v2, v3)
  rotate(v3, 16)
  exclusiveOr(v3, v2)
  add(v0, v3)
  rotate(v3, 21)
  exclusiveOr(v3, v0)
  add(v2, v1)
  rotate(v1, 17)
  exclusiveOr(v1, v2)
  swap(v2)
}

function toWord(value: bigint): Word {
  return { low: Number(value & 0xffffffffn), high: Number((value >> 32n) & 0xffffffffn) }
}

function add(to: Word, operand: Word): void {
  const low = (to.low >>> 0) + (operand.low >>> 0)
  to.high = (to.high + operand.high + (low > 0xffffffff ? 1 : 0)) | 0
  to.low = low | 0
}

/** Rotates left by less than 32 bits. */
function rotate(value: Word, bits: number): void {
  const { low, high } = value
  value.low = (low << bits) | (high >>> (32 - bits))
  value.high = (high << bits) | (low >>> (32 - bits))
}

/** Rotates by 32 bits. */
function swap(value: Word): void {
  const { low } = value
  value.low = value.high
  value.high = low
}

function exclusiveOr(to: Word, operand: Word): void {
  to.low ^= operand.low
  to.high ^= operand.high
}
