// RFC 6455, section 5.2: two bytes, the extended length and the mask.
const maxHeaderLength = 14

/**
 * Finds where the frames of a WebSocket client end, before the library parses them: so a client cannot make the gateway
 * process any number of frames at once.
 */
export class FrameScanner {
  readonly #header = new Uint8Array(maxHeaderLength)
  #headerLength = 0
  #headerNeeded = 2
  /** Number of frames that ended in the last call of {@link endOf}. */
  ended = 0
  /** Bytes of the payload that have not arrived. */
  #payloadLeft = 0

  /**
   * Reads to the end of the given number of frames.
   *
   * @param from - index of the first byte that was not read before
   * @returns the index after the last of these frames; the length of the chunk when it has fewer ends of frames
   */
  endOf(frames: number, chunk: Uint8Array, from: number): number {
    let at = from
    this.ended = 0
    while (this.ended < frames) {
      if (at >= chunk.length) return chunk.length
      if (this.#payloadLeft === 0) {
        at = this.#readHeader(chunk, at)
        // The header is incomplete.
        if (this.#headerLength > 0) return chunk.length
      }
      const payload = Math.min(this.#payloadLeft, chunk.length - at)
      at += payload
      this.#payloadLeft -= payload
      if (this.#payloadLeft === 0) this.ended += 1
    }
    return at
  }

  #readHeader(chunk: Uint8Array, from: number): number {
    if (this.#headerLength === 0 && from + maxHeaderLength <= chunk.length) {
      this.#payloadLeft = payloadLength(chunk, from)
      return from + headerLength(chunk[from + 1] as number)
    }
    return this.#collectHeader(chunk, from)
  }

  /** Reads a header that may arrive in parts. */
  #collectHeader(chunk: Uint8Array, from: number): number {
    const header = this.#header
    let at = from
    while (this.#headerLength < this.#headerNeeded) {
      if (at === chunk.length) return at
      header[this.#headerLength++] = chunk[at++] as number
      if (this.#headerLength === 2) this.#headerNeeded = headerLength(header[1] as number)
    }
    this.#payloadLeft = payloadLength(header, 0)
    this.#headerLength = 0
    this.#headerNeeded = 2
    return at
  }
}

function headerLength(second: number): number {
  const maskBytes = second & 0x80 ? 4 : 0
  return 2 + extendedBytes(second & 0x7f) + maskBytes
}

/** Reads the length of the payload from the header at an index. */
function payloadLength(bytes: Uint8Array, at: number): number {
  const short = (bytes[at + 1] as number) & 0x7f
  if (short < 126) return short
  let length = 0
  for (let byte = 0; byte < extendedBytes(short); byte += 1) {
    length = length * 256 + (bytes[at + 2 + byte] as number)
  }
  return length
}

/** Number of bytes of the extended payload length. */
function extendedBytes(short: number): number {
  if (short < 126) return 0
  return short === 126 ? 2 : 8
}
