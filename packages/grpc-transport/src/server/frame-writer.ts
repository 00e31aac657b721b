import type { ServerHttp2Stream } from 'node:http2'

// A write costs much more than a copy of a small message, and one of this size fills four HTTP/2 frames.
const chunkBytes = 64 << 10
const copiedBytes = 8 << 10

/** Writes the frames of one event-loop tick together, and reports when the client does not read fast enough. */
export class FrameWriter {
  readonly #stream: ServerHttp2Stream
  readonly #highWaterBytes: number
  #frames: Uint8Array[] = []
  #framesBytes = 0
  #isScheduled = false
  #drained: (() => void)[] = []

  constructor(stream: ServerHttp2Stream, highWaterBytes: number) {
    this.#stream = stream
    this.#highWaterBytes = highWaterBytes
  }

  /** Bytes that were written but not yet sent to the socket. */
  get bufferedBytes(): number {
    return this.#framesBytes + this.#stream.writableLength
  }

  get hasSpace(): boolean {
    return this.bufferedBytes < this.#highWaterBytes
  }

  write(frame: Uint8Array): boolean {
    this.#frames.push(frame)
    this.#framesBytes += frame.length
    if (this.#framesBytes >= chunkBytes) this.flush()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      process.nextTick(() => {
        this.#isScheduled = false
        this.flush()
      })
    }
    return this.hasSpace
  }

  /** Waits until the buffer has space again, or until {@link release} is called. */
  drained(): Promise<void> {
    return this.hasSpace ? Promise.resolve() : new Promise((resolve) => this.#drained.push(resolve))
  }

  flush(): void {
    const frames = this.#frames
    if (frames.length === 0) return
    this.#frames = []
    this.#framesBytes = 0
    if (this.#stream.destroyed || this.#stream.writableEnded) return
    this.#stream.cork()
    let first = 0
    let bytes = 0
    for (let next = 0; next < frames.length; next++) {
      const { length } = frames[next] ?? []
      if (length >= copiedBytes) {
        this.#writeJoined(frames.slice(first, next), bytes)
        this.#writeJoined(frames.slice(next, next + 1), length)
        first = next + 1
        bytes = 0
      } else bytes += length
    }
    this.#writeJoined(first === 0 ? frames : frames.slice(first), bytes)
    this.#stream.uncork()
  }

  #writeJoined(frames: readonly Uint8Array[], bytes: number): void {
    const [frame] = frames
    if (frame === undefined) return
    this.#stream.write(frames.length === 1 ? frame : Buffer.concat(frames, bytes), this.#onWritten)
  }

  // Not `drain`: the stream emits it by its own limit, and never when that is above the limit here.
  readonly #onWritten = (): void => {
    if (this.#drained.length > 0 && this.hasSpace) this.release()
  }

  /** Resolves all waits for buffer space. */
  release(): void {
    const drained = this.#drained
    this.#drained = []
    for (const resolve of drained) resolve()
  }
}
