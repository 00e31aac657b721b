import { BinaryReader } from '@bufbuild/protobuf/wire'

/** Identifies an update of a subscription. */
export interface UpdateIdentity {
  readonly slot: number
  /** Equal for an update and its repetition by any upstream; 53 bits. */
  readonly key: number
}

/** Field numbers of `SubscribeUpdate`. */
const field = {
  filters: 1,
  account: 2,
  slot: 3,
  transaction: 4,
  block: 5,
  blockMeta: 7,
  entry: 8,
  transactionStatus: 10,
} as const

/** The slot field of an update kind, and the fields that identify an update within the slot. */
interface UpdateKind {
  readonly slot: number
  readonly keyFields: readonly number[]
  /** The nested message with further identifying fields. */
  readonly inner?: { readonly field: number; readonly keyFields: readonly number[] }
}

// Numbers that every upstream counts by itself, such as the write version of an account, are not part of the identity.
const kinds: Readonly<Record<number, UpdateKind>> = {
  [field.account]: { slot: 2, keyFields: [], inner: { field: 1, keyFields: [1, 2, 6, 8] } },
  [field.slot]: { slot: 1, keyFields: [2, 3] },
  [field.transaction]: { slot: 2, keyFields: [], inner: { field: 1, keyFields: [1] } },
  [field.block]: { slot: 1, keyFields: [2] },
  [field.blockMeta]: { slot: 1, keyFields: [2] },
  [field.entry]: { slot: 1, keyFields: [2] },
  [field.transactionStatus]: { slot: 1, keyFields: [2] },
}

const startupField = 3

/**
 * Reads the identity of an update.
 *
 * @param update - a serialized `SubscribeUpdate`
 * @returns undefined for a ping, a pong, and an account of the snapshot with which an upstream started: they belong to
 * no slot
 * @throws Error when it is not protobuf
 * @see specs/grpc/proto/geyser.proto, SubscribeUpdate
 */
export function identityOf(update: Uint8Array): UpdateIdentity | undefined {
  const reader = new BinaryReader(update)
  const hash = new KeyHash()
  let filters = 0
  let slot: number | undefined
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    const kind = kinds[number]
    // A block arrives once for each filter. Their order differs between upstreams.
    if (number === field.filters) filters += hashOf(reader.bytes())
    else if (kind === undefined) reader.skip(wireType)
    else {
      hash.addNumber(number)
      const content = reader.bytes()
      if (number === field.account && isStartup(content)) return undefined
      slot = readKind(content, kind, hash)
    }
  }
  if (slot === undefined) return undefined
  hash.addNumber(filters)
  return { slot, key: hash.value }
}

function readKind(
  content: Uint8Array,
  { slot: slotField, keyFields, inner }: UpdateKind,
  hash: KeyHash,
): number {
  const reader = new BinaryReader(content)
  let slot = 0
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (number === slotField) slot = Number(reader.uint64())
    else if (number === inner?.field) addFields(reader.bytes(), inner.keyFields, hash)
    else if (keyFields.includes(number)) addField(reader, number, wireType, hash)
    else reader.skip(wireType)
  }
  return slot
}

function addFields(content: Uint8Array, keyFields: readonly number[], hash: KeyHash): void {
  const reader = new BinaryReader(content)
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (keyFields.includes(number)) addField(reader, number, wireType, hash)
    else reader.skip(wireType)
  }
}

function addField(reader: BinaryReader, number: number, wireType: number, hash: KeyHash): void {
  hash.addNumber(number)
  if (wireType === lengthDelimited) hash.add(reader.bytes())
  else hash.addNumber(Number(reader.uint64()))
}

const lengthDelimited = 2

function isStartup(account: Uint8Array): boolean {
  const reader = new BinaryReader(account)
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (number === startupField) return reader.bool()
    reader.skip(wireType)
  }
  return false
}

function hashOf(bytes: Uint8Array): number {
  const hash = new KeyHash()
  hash.add(bytes)
  return hash.value % 2 ** 32
}

/** FNV-1a twice, with different seeds. */
class KeyHash {
  #hash1 = 0x811c9dc5
  #hash2 = 0x01000193

  add(bytes: Uint8Array): void {
    this.addNumber(bytes.length)
    for (const byte of bytes) this.#addByte(byte)
  }

  addNumber(value: number): void {
    for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) this.#addByte(rest % 256)
    this.#addByte(0)
  }

  get value(): number {
    return (this.#hash1 >>> 0) * 0x20_00_00 + (this.#hash2 >>> 11)
  }

  #addByte(byte: number): void {
    this.#hash1 = Math.imul(this.#hash1 ^ byte, 0x01000193)
    this.#hash2 = Math.imul(this.#hash2 ^ byte, 0x5bd1e995) ^ (this.#hash2 >>> 15)
  }
}
