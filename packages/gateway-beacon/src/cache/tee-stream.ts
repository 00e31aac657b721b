import { pipeline, Transform, type TransformCallback } from 'node:stream'
import type { StreamedResponse } from '@fairlead/gateway-core/rest/rest-call'
import type { ResponseCache } from './response-cache.ts'
import { maxCacheableBytes } from './cacheable-response.ts'

/** A response body that is copied on its way to the client, unless it is too long. */
export class TeeStream extends Transform {
  readonly #body: StreamedResponse['body']
  readonly #cache: ResponseCache
  readonly #onComplete: (bytes: Buffer) => void
  #chunks: Buffer[] | undefined = []
  #copiedBytes = 0

  /**
   * @param body - body of the upstream response
   * @param cache - reserves the memory for the copy
   * @param onComplete - called with the copy when the body is complete
   */
  constructor(body: StreamedResponse['body'], cache: ResponseCache, onComplete: (bytes: Buffer) => void) {
    super()
    this.#body = body
    this.#cache = cache
    this.#onComplete = onComplete
    // An error of either stream destroys the other. The reader of this stream receives the error.
    pipeline(body, this, () => undefined)
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    const isTooLong = this.#copiedBytes + chunk.length > maxCacheableBytes
    if (this.#chunks && !isTooLong && this.#cache.reserve(chunk.length)) {
      this.#copiedBytes += chunk.length
      this.#chunks.push(chunk)
    } else this.#discardCopy()
    done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    if (this.#chunks) this.#onComplete(Buffer.concat(this.#chunks))
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#discardCopy()
    done(error)
  }

  /** Discards the body. */
  dump(): Promise<void> {
    this.destroy()
    return this.#body.dump()
  }

  #discardCopy(): void {
    this.#chunks = undefined
    this.#cache.release(this.#copiedBytes)
    this.#copiedBytes = 0
  }
}
