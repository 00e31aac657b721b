const prefixBytes = 5

/**
 * Counts the messages in a byte stream by their prefixes, regardless of chunk boundaries. It stores no bytes.
 *
 * @returns a function that accepts the next bytes and returns how many messages have begun in them
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Length-Prefixed-Message
 */
export function createMessageCounter(): (bytes: Uint8Array) => number {
  // Number of prefix bytes read so far, and the length that they encode.
  let prefixRead = 0
  let length = 0
  // Remaining bytes of the current message.
  let remaining = 0
  return (bytes) => {
    let count = 0
    let offset = 0
    const { length: end } = bytes
    while (offset < end) {
      if (remaining > 0) {
        const step = Math.min(remaining, end - offset)
        offset += step
        remaining -= step
        continue
      }
      // Most prefixes are in one chunk.
      if (prefixRead === 0 && end - offset >= prefixBytes) {
        remaining = uint32(bytes, offset + 1)
        offset += prefixBytes
        count++
        continue
      }
      if (prefixRead > 0) length = length * 256 + (bytes[offset] ?? 0)
      offset++
      if (++prefixRead === prefixBytes) {
        remaining = length
        prefixRead = length = 0
        count++
      }
    }
    return count
  }
}

function uint32(bytes: Uint8Array, offset: number): number {
  const low = ((bytes[offset + 1] ?? 0) << 16) | ((bytes[offset + 2] ?? 0) << 8) | (bytes[offset + 3] ?? 0)
  return (bytes[offset] ?? 0) * 0x1_00_00_00 + low
}
