/** The subset of a type of `@lodestar/types` that this package uses. */
export interface SszType {
  /** Size of every value in bytes; null when the size varies. */
  readonly fixedSize: number | null
  deserialize(bytes: Uint8Array): unknown
  serialize(value: unknown): Uint8Array
  toJson(value: unknown): unknown
  fromJson(json: unknown): unknown
}

/** Converts a value in the JSON form of the specification to and from bytes. */
export interface JsonCodec {
  /** Size of every value in bytes; null when the size varies. */
  readonly fixedSize: number | null
  decode(bytes: Uint8Array): unknown
  encode(json: unknown): Uint8Array
}

/** The codec of one value. */
export const valueOf = (type: SszType): JsonCodec => ({
  fixedSize: type.fixedSize,
  decode: (bytes) => type.toJson(type.deserialize(bytes)),
  encode: (json) => type.serialize(type.fromJson(json)),
})

const offsetBytes = 4

/**
 * The codec of a list of any length.
 *
 * @see consensus-specs ssz/simple-serialize.md, Vectors, containers, lists
 */
export function listOf(item: JsonCodec): JsonCodec {
  return {
    fixedSize: null,
    encode(json) {
      const encodedItems = (json as readonly unknown[]).map((value) => item.encode(value))
      if (item.fixedSize !== null) return concatenate(encodedItems)
      const offsets = new Uint8Array(encodedItems.length * offsetBytes)
      const view = new DataView(offsets.buffer)
      let offset = offsets.length
      for (const [index, encodedItem] of encodedItems.entries()) {
        view.setUint32(index * offsetBytes, offset, true)
        offset += encodedItem.length
      }
      return concatenate([offsets, ...encodedItems])
    },
    decode: (bytes) => slicesOf(bytes, item.fixedSize).map((slice) => item.decode(slice)),
  }
}

/** The codec of an object whose fields all have a fixed size, in the order of the bytes. */
export function recordOf(fields: Readonly<Record<string, JsonCodec>>): JsonCodec {
  const sizes = Object.values(fields).map(({ fixedSize }) => fixedSize ?? 0)
  return {
    fixedSize: sizes.reduce((sum, size) => sum + size, 0),
    encode: (json) =>
      concatenate(
        Object.entries(fields).map(([name, { encode }]) => encode((json as Record<string, unknown>)[name])),
      ),
    decode(bytes) {
      let end = 0
      const entries = Object.entries(fields).map(([name, { decode }], index) => {
        const start = end
        end += sizes[index] ?? 0
        return [name, decode(bytes.subarray(start, end))]
      })
      return Object.fromEntries(entries) as unknown
    },
  }
}

function slicesOf(bytes: Uint8Array, size: number | null): readonly Uint8Array[] {
  if (size !== null) {
    if (bytes.length % size !== 0) throw new RangeError(`length is no multiple of ${size}`)
    return Array.from({ length: bytes.length / size }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    )
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = bytes.length === 0 ? 0 : view.getUint32(0, true) / offsetBytes
  const offsets = Array.from({ length: count }, (_, index) => view.getUint32(index * offsetBytes, true))
  return offsets.map((start, index) => {
    const end = offsets[index + 1] ?? bytes.length
    if (start > end || end > bytes.length) throw new RangeError('an offset leads beyond the end')
    return bytes.subarray(start, end)
  })
}

function concatenate(chunks: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    result.set(chunk, at)
    at += chunk.length
  }
  return result
}
