const headBytes = 5

/**
 * Prefixes a message with its head: one byte for the flag, four for the length.
 *
 * @param message - bytes of one message
 * @param compressed - true when the bytes are compressed
 * @returns the framed message
 * @example
 * ```ts
 * frameMessage(Uint8Array.of(7)) // Uint8Array.of(0, 0, 0, 0, 1, 7)
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Length-Prefixed-Message
 */
export function frameMessage(message: Uint8Array, compressed = false): Uint8Array {
  const framed = new Uint8Array(headBytes + message.length)
  writeHead(framed, message.length, compressed)
  framed.set(message, headBytes)
  return framed
}

/** Creates the head of a message, for callers that write head and message separately. */
export function frameHead(length: number, compressed = false): Uint8Array {
  const head = new Uint8Array(headBytes)
  writeHead(head, length, compressed)
  return head
}

function writeHead(head: Uint8Array, length: number, compressed: boolean): void {
  head[0] = compressed ? 1 : 0
  head[1] = length >>> 24
  head[2] = length >>> 16
  head[3] = length >>> 8
  head[4] = length
}
