const lf = 0x0a
const cr = 0x0d

// The longest events contain lists of validators.
const maxBufferedBytes = 16 * 1024 * 1024

/**
 * Splits an event stream at event boundaries. The output has the same bytes as the input, in chunks that end with an
 * event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class CompleteEvents {
  #buffered: Buffer[] = []
  #bufferedBytes = 0
  #isLineEmpty = true
  #isAfterCr = false

  /**
   * Accepts the next chunk.
   *
   * @returns all bytes up to the end of the last event, or undefined when no event ends in this chunk
   * @throws when an event has no end within the size limit
   */
  push(chunk: Buffer): Buffer | undefined {
    const end = this.#lastEnd(chunk)
    if (end === 0) {
      this.#buffer(chunk)
      return undefined
    }
    const completed = chunk.subarray(0, end)
    const events = this.#buffered.length === 0 ? completed : Buffer.concat([...this.#buffered, completed])
    this.#buffered = []
    this.#bufferedBytes = 0
    if (end < chunk.length) this.#buffer(chunk.subarray(end))
    return events
  }

  #buffer(bytes: Buffer): void {
    this.#bufferedBytes += bytes.length
    if (this.#bufferedBytes > maxBufferedBytes) throw new Error('An event of the upstream is too long.')
    this.#buffered.push(bytes)
  }

  /** Offset at which the last event of a chunk ends; 0 when no event ends in it. */
  #lastEnd(chunk: Buffer): number {
    let end = 0
    for (let offset = 0; offset < chunk.length; offset++) {
      const byte = chunk[offset]
      if (byte === lf && this.#isAfterCr) {
        this.#isAfterCr = false
        // This LF belongs to the CR before it. In the next chunk it is an empty line, which has no effect.
        if (end === offset && offset > 0) end = offset + 1
        continue
      }
      this.#isAfterCr = byte === cr
      const isLineEnd = byte === lf || byte === cr
      if (isLineEnd && this.#isLineEmpty) end = offset + 1
      this.#isLineEmpty = isLineEnd
    }
    return end
  }
}

/** Counts the events in a chunk of a beacon event stream. Each event is named on a separate line. */
export function countEvents(events: Buffer): number {
  return events.toString('latin1').match(/^event:/gm)?.length ?? 0
}
