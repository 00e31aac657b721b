import { Buffer } from 'node:buffer'
import { Readable } from 'node:stream'
import type { UpstreamResponse } from './upstream-response.ts'

/** A response that is buffered completely. */
export class BufferedResponse implements UpstreamResponse {
  readonly latin1: string | undefined
  readonly delimited = true
  readonly secrets: readonly string[] | undefined
  readonly value: unknown
  #bytes: Buffer | undefined
  #body: UpstreamResponse['body'] | undefined

  /**
   * @param content - its bytes, or a string with one character per byte
   * @param more - secrets in the URL of the upstream, and the parsed response
   */
  constructor(
    content: Buffer | string,
    { secrets, value }: Pick<UpstreamResponse, 'secrets' | 'value'> = {},
  ) {
    if (typeof content === 'string') this.latin1 = content
    else this.#bytes = content
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

/** Adds a `dump` method to a body, which discards it. */
export function dumpable(body: Readable): UpstreamResponse['body'] {
  const dump = (): Promise<void> => {
    body.destroy()
    return Promise.resolve()
  }
  return Object.assign(body, { dump })
}
