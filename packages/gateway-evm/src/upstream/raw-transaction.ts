import { keccak_256 } from '@noble/hashes/sha3.js'

// Other transaction types, which some chains have, use other hash schemes.
const highestType = 4
const blobType = 3

/**
 * Returns the hash of a signed transaction, computed from its bytes.
 *
 * @param raw - the param of `eth_sendRawTransaction`
 * @returns undefined when it is not a transaction of a supported type
 * @see EIP-2718, EIP-4844
 */
export function transactionHash(raw: unknown): string | undefined {
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(raw)) return undefined
  const bytes = Buffer.from(raw.slice(2), 'hex')
  const [first = 0] = bytes
  if (first >= 0xc0) return hashOf(bytes)
  if (first === 0 || first > highestType) return undefined
  return hashOf(first === blobType ? withoutBlobs(bytes) : bytes)
}

function hashOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(keccak_256(bytes)).toString('hex')}`
}

/** Removes the blobs, which are in a list together with the transaction and are not part of the hash. */
function withoutBlobs(bytes: Buffer): Buffer {
  const start = 1 + headLength(bytes, 1)
  if ((bytes[start] ?? 0) < 0xc0) return bytes
  const end = start + headLength(bytes, start) + payloadLength(bytes, start)
  return Buffer.concat([bytes.subarray(0, 1), bytes.subarray(start, end)])
}

// RLP list: 0xc0 plus its length, or 0xf7 plus the length of its length.
function headLength(bytes: Buffer, at: number): number {
  return 1 + Math.max(0, (bytes[at] ?? 0) - 0xf7)
}

function payloadLength(bytes: Buffer, at: number): number {
  const prefix = bytes[at] ?? 0
  return prefix <= 0xf7 ? prefix - 0xc0 : bytes.readUIntBE(at + 1, Math.min(prefix - 0xf7, 6))
}
