import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import type { UpstreamResponse } from './upstream-response.ts'

/** An answer that is at hand whole. */
export class BufferedResponse implements UpstreamResponse {
  readonly latin1: string | undefined
  readonly delimited = true
  readonly secrets: readonly string[] | undefined
  readonly value: unknown
  #bytes: Buffer | undefined
  #body: UpstreamResponse['body'] | undefined

  /**
   * @param whole - its bytes, or a text with a character for each of them
   * @param more - texts of the address that has answered, and the same answer parsed
   */
  constructor(whole: Buffer | string, { secrets, value }: Pick<UpstreamResponse, 'secrets' | 'value'> = {}) {
    if (typeof whole === 'string') this.latin1 = whole
    else this.#bytes = whole
    this.secrets = secrets
    this.value = value
  }

  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(this.latin1 ?? '', 'latin1'))
  }

  get contentLength(): string {
    return String(this.latin1?.length ?? this.bytes.length)
  }

  get body(): UpstreamResponse['body'] {
    return (this.#body ??= dumpable(Readable.from([this.bytes])))
  }
}

/** A body that can be given up. */
export function dumpable(body: Readable): UpstreamResponse['body'] {
  const dump = (): Promise<void> => {
    body.destroy()
    return Promise.resolve()
  }
  return Object.assign(body, { dump })
}
