const lf = 0x0a
const cr = 0x0d

// Lists of validators make the longest ones.
const maxHeldBytes = 16 * 1024 * 1024

/**
 * Cuts a stream of events where one ends: what comes out is what came in, byte for byte, in pieces that end with an
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
   * Takes the next piece.
   *
   * @returns everything up to the end of the last event in it, or undefined when none ends there
   * @throws when an event has no end
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

  /** Where the last event of a chunk ends; 0 when none does. */
  #lastEnd(chunk: Buffer): number {
    let end = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]
      if (byte === lf && this.#isAfterCr) {
        this.#isAfterCr = false
        // It belongs to the line end before it. In the next chunk it is an empty line, which means nothing.
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

/** How many events a piece of a beacon node's stream has: each is named on a line of its own. */
export function countEvents(events: Buffer): number {
  return events.toString('latin1').match(/^event:/gm)?.length ?? 0
}
