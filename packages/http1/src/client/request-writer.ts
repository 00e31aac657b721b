import { Buffer } from 'node:buffer'
import type { Http1Call } from './types.ts'

// Shorter bodies are cheaper to write together with the head.
const maxJoinedBytes = 16_384

/** A request as Latin-1: the head and the body. A body that is not converted to a string stays a `Uint8Array`. */
export interface RequestText {
  readonly head: string
  readonly body: string | Uint8Array | undefined
}

/** Serializes the requests of one connection, whose heads are nearly all the same. */
export class RequestWriter {
  readonly #host: string
  #method = ''
  #target = ''
  #fields = ''
  // The head for these values, without `content-length`.
  #prefix = ''

  /** @param host - value of the `Host` field */
  constructor(host: string) {
    this.#host = host
  }

  textOf({ method, target, fields, body }: Http1Call): RequestText {
    if (method !== this.#method || target !== this.#target || fields !== this.#fields) {
      this.#method = method
      this.#target = target
      this.#fields = fields
      this.#prefix = `${method} ${target} HTTP/1.1\r\nhost: ${this.#host}\r\naccept-encoding: identity\r\n${fields}`
    }
    if (body === undefined) {
      return {
        head: `${this.#prefix}${method === 'POST' ? 'content-length: 0\r\n' : ''}\r\n`,
        body: undefined,
      }
    }
    const content = typeof body === 'string' ? asLatin1(body) : joinable(body)
    return { head: `${this.#prefix}content-length: ${content.length}\r\n\r\n`, body: content }
  }
}

/** Returns one character per byte of the UTF-8 encoding. */
function asLatin1(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}

function joinable(bytes: Uint8Array): string | Uint8Array {
  return bytes.length > maxJoinedBytes
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
