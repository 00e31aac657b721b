import type { SubscribeUpdate, SubscribeUpdateAccountInfo } from '../../generated/geyser.ts'

/** Returns the slot of an update; undefined for an update that belongs to no slot of the stream. */
export function slotOf({ updateOneof }: SubscribeUpdate): bigint | undefined {
  if (updateOneof === undefined || updateOneof.$case === 'ping' || updateOneof.$case === 'pong') {
    return undefined
  }
  // Updates from the startup snapshot of a node are older than the stream.
  if (updateOneof.$case === 'account' && updateOneof.value.isStartup) return undefined
  return updateOneof.value.slot
}

/**
 * Writes a key that an update shares with its own repetition, and with no other update of the same slot. Counters of a
 * single node are excluded, because the repetition may come from another node.
 *
 * @param to - receives the key; 256 bytes are enough
 * @param at - start of the key
 * @returns the number of its bytes
 */
export function writeKey({ filters, updateOneof }: SubscribeUpdate, to: Uint8Array, at: number): number {
  if (!updateOneof) return 0
  to[at] = typeBytes[updateOneof.$case]
  const start = at + 1
  switch (updateOneof.$case) {
    case 'account':
      return 1 + writeAccount(updateOneof.value.account, to, start)
    case 'transaction':
      return 1 + write(updateOneof.value.transaction?.signature, to, start)
    case 'transactionStatus':
      return 1 + write(updateOneof.value.signature, to, start)
    case 'entry':
      return 1 + writeNumber(updateOneof.value.index, to, start)
    // A block is sent once for each filter.
    case 'block':
      return 1 + write(new TextEncoder().encode(filters.join('\n')), to, start)
    case 'blockMeta':
      return 1 + write(new TextEncoder().encode(updateOneof.value.blockhash), to, start)
    // They are not part of a block.
    case 'slot':
    case 'ping':
    case 'pong':
  }
  return 1
}

const typeBytes = {
  account: 1,
  transaction: 2,
  transactionStatus: 3,
  entry: 4,
  block: 5,
  blockMeta: 6,
  slot: 7,
  ping: 8,
  pong: 9,
}
const maxPlainBytes = 64

function writeAccount(account: SubscribeUpdateAccountInfo | undefined, to: Uint8Array, at: number): number {
  if (!account) return 0
  const length = writeHead(account.pubkey, to, at)
  // A transaction writes an account once. Without a transaction, an account is identified by its content.
  if (account.txnSignature) return length + writeHead(account.txnSignature, to, at + length)
  return length + writeNumber(account.lamports, to, at + length) + write(account.data, to, at + length + 8)
}

/** Writes bytes; long ones are replaced by their hash. */
function write(bytes: Uint8Array = new Uint8Array(), to: Uint8Array, at: number): number {
  if (bytes.length <= maxPlainBytes) return writeHead(bytes, to, at)
  // Two hashes by the rule of FNV-1a.
  let hash1 = 0x811c9dc5
  let hash2 = bytes.length
  for (const byte of bytes) {
    hash1 = Math.imul(hash1 ^ byte, 0x01000193)
    hash2 = Math.imul(hash2 ^ byte, 0x0100_0193) ^ (hash2 >>> 15)
  }
  const sums = BigInt.asUintN(32, BigInt(hash1)) | (BigInt.asUintN(32, BigInt(hash2)) << 32n)
  return writeNumber(sums, to, at)
}

/** Writes the first bytes; keys and signatures, which are not longer, completely. */
function writeHead(bytes: Uint8Array, to: Uint8Array, at: number): number {
  const head = bytes.length > maxPlainBytes ? bytes.subarray(0, maxPlainBytes) : bytes
  to.set(head, at)
  return head.length
}

function writeNumber(value: bigint, to: Uint8Array, at: number): number {
  new DataView(to.buffer, to.byteOffset).setBigUint64(at, value)
  return 8
}
