const headBytes = 5

/**
 * Counts the messages in a byte stream by their prefixes, regardless of chunk boundaries. It stores no bytes.
 *
 * @returns a function that accepts the next bytes and returns how many messages have begun in them
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Length-Prefixed-Message
 */
export function createMessageCounter(): (bytes: Uint8Array) => number {
  // Number of prefix bytes read so far, and the length that they encode.
  let seen = 0
  let length = 0
  // Remaining bytes of the current message.
  let left = 0
  return (bytes) => {
    let count = 0
    let at = 0
    const { length: end } = bytes
    while (at < end) {
      if (left > 0) {
        const step = Math.min(left, end - at)
        at += step
        left -= step
        continue
      }
      // Most prefixes are in one chunk.
      if (seen === 0 && end - at >= headBytes) {
        left = uint32(bytes, at + 1)
        at += headBytes
        count++
        continue
      }
      if (seen > 0) length = length * 256 + (bytes[at] ?? 0)
      at++
      if (++seen === headBytes) {
        left = length
        seen = length = 0
        count++
      }
    }
    return count
  }
}

function uint32(bytes: Uint8Array, at: number): number {
  const low = ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)
  return (bytes[at] ?? 0) * 0x1_00_00_00 + low
}
