const lf = 0x0a
const cr = 0x0d

// The longest events contain lists of validators.
const maxHeldBytes = 16 * 1024 * 1024

/**
 * Splits an event stream at event boundaries. The output has the same bytes as the input, in chunks that end with an
 * event.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class CompleteEvents {
  #held: Buffer[] = []
  #heldBytes = 0
  #isLineEmpty = true
  #isAfterCr = false

  /**
   * Accepts the next chunk.
   *
   * @returns all bytes up to the end of the last event, or undefined when no event ends in this chunk
   * @throws when an event has no end within the size limit
   */
  take(chunk: Buffer): Buffer | undefined {
    const end = this.#lastEnd(chunk)
    if (end === 0) {
      this.#hold(chunk)
      return undefined
    }
    const head = chunk.subarray(0, end)
    const events = this.#held.length === 0 ? head : Buffer.concat([...this.#held, head])
    this.#held = []
    this.#heldBytes = 0
    if (end < chunk.length) this.#hold(chunk.subarray(end))
    return events
  }

  #hold(part: Buffer): void {
    this.#heldBytes += part.length
    if (this.#heldBytes > maxHeldBytes) throw new Error('An event of the node has no end.')
    this.#held.push(part)
  }

  /** Offset at which the last event of a chunk ends; 0 when no event ends in it. */
  #lastEnd(chunk: Buffer): number {
    let end = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === lf && this.#isAfterCr) {
        this.#isAfterCr = false
        // This LF belongs to the CR before it. In the next chunk it is an empty line, which has no effect.
        if (end === at && at > 0) end = at + 1
        continue
      }
      this.#isAfterCr = byte === cr
      const isLineEnd = byte === lf || byte === cr
      if (isLineEnd && this.#isLineEmpty) end = at + 1
      this.#isLineEmpty = isLineEnd
    }
    return end
  }
}

/** Counts the events in a chunk of a beacon event stream. Each event is named on a separate line. */
export function countEvents(events: Buffer): number {
  return events.toString('latin1').match(/^event:/gm)?.length ?? 0
}
