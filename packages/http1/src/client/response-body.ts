import { Readable } from 'node:stream'
import type { ResponseStream } from './types.ts'

/** The source of a response body. */
export interface BodySource {
  /** Requests more bytes. */
  resume(): void
  /** Discards the rest of the body. */
  cancel(): void
  /** Reads and drops the rest, unless it is long. */
  skip(): void
}

/** A response body as a stream. While the stream is not read, the connection is paused. */
export class ResponseBody extends Readable implements ResponseStream {
  readonly #source: BodySource | undefined

  /** @param source - undefined when the body is already complete */
  constructor(source: BodySource | undefined) {
    super()
    this.#source = source
    // The body may fail before it is read. A later reader still receives the error.
    this.on('error', () => undefined)
  }

  override _read(): void {
    this.#source?.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.readableEnded) this.#source?.cancel()
    done(error)
  }

  dump(): Promise<void> {
    if (this.#source) this.#source.skip()
    else this.destroy()
    return this.closed ? Promise.resolve() : new Promise((resolve) => this.once('close', resolve))
  }
}
