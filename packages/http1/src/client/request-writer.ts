import { Buffer } from 'node:buffer'
import type { Http1Call } from './types.ts'

// Shorter ones are cheaper to write together with the head.
const maxJoinedBytes = 16_384

/** A request as Latin-1: head with the body, or the part of it that is no text yet. */
export interface RequestText {
  readonly head: string
  readonly body: string | Uint8Array | undefined
}

/** Writes the requests of one connection, whose heads are nearly all alike. */
export class RequestWriter {
  readonly #host: string
  #method = ''
  #target = ''
  #fields = ''
  // The head with these, but for the length of the body.
  #begun = ''

  /** @param host - value of the `Host` field */
  constructor(host: string) {
    this.#host = host
  }

  textOf({ method, target, fields, body }: Http1Call): RequestText {
    if (method !== this.#method || target !== this.#target || fields !== this.#fields) {
      this.#method = method
      this.#target = target
      this.#fields = fields
      this.#begun = `${method} ${target} HTTP/1.1\r\nhost: ${this.#host}\r\naccept-encoding: identity\r\n${fields}`
    }
    if (body === undefined) {
      return {
        head: `${this.#begun}${method === 'POST' ? 'content-length: 0\r\n' : ''}\r\n`,
        body: undefined,
      }
    }
    const content = typeof body === 'string' ? asLatin1(body) : joinable(body)
    return { head: `${this.#begun}content-length: ${content.length}\r\n\r\n`, body: content }
  }
}

/** One character for each byte of the text. */
function asLatin1(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1')
}

function joinable(bytes: Uint8Array): string | Uint8Array {
  return bytes.length > maxJoinedBytes
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
