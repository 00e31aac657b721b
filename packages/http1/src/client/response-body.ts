import { Readable } from 'node:stream'
import type { ResponseStream } from './types.ts'

/** Where a body comes from. */
export interface BodySource {
  /** Asks for more. */
  resume(): void
  /** Gives up what has not come yet. */
  cancel(): void
  /** Reads the rest without keeping it, unless it is long. */
  skip(): void
}

/** A body to be read. Whoever does not read waits for nothing: the connection stands still meanwhile. */
export class ResponseBody extends Readable implements ResponseStream {
  readonly #source: BodySource | undefined

  /** @param source - undefined when nothing more will come */
  constructor(source: BodySource | undefined) {
    super()
    this.#source = source
    // It may break off while nobody looks; whoever reads it later hears of it all the same.
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
