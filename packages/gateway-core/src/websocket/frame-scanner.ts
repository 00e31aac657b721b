// RFC 6455, section 5.2: two bytes, the extended length and the mask.
const maxHeaderLength = 14
const extendedBytes = new Map([
  [126, 2],
  [127, 8],
])

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
    const header = this.#header
    let at = from
    while (this.#headerLength < this.#headerNeeded) {
      if (at === chunk.length) return at
      header[this.#headerLength++] = chunk[at++] as number
      if (this.#headerLength === 2) this.#headerNeeded = headerLength(header[1] as number)
    }
    this.#payloadLeft = payloadLength(header)
    this.#headerLength = 0
    this.#headerNeeded = 2
    return at
  }
}

function headerLength(second: number): number {
  const maskBytes = second & 0x80 ? 4 : 0
  return 2 + (extendedBytes.get(second & 0x7f) ?? 0) + maskBytes
}

function payloadLength(header: Uint8Array): number {
  const short = (header[1] as number) & 0x7f
  let length = 0
  for (let at = 2; at < 2 + (extendedBytes.get(short) ?? 0); at += 1) {
    length = length * 256 + (header[at] as number)
  }
  return short < 126 ? short : length
}
