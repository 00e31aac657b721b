import type { Http1Call } from './http1-connections.ts'

// Shorter ones are cheaper to write together with the head.
const maxJoinedBytes = 16_384

/**
 * Writes a request, as Latin-1.
 *
 * @returns head with the body, or the part of it that is no text yet
 */
export function requestText(
  { method, target, fields, body }: Http1Call,
  host: string,
): { readonly head: string; readonly body: string | Uint8Array | undefined } {
  const head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\naccept-encoding: identity\r\n${fields}`
  if (body === undefined) {
    return { head: `${head}${method === 'POST' ? 'content-length: 0\r\n' : ''}\r\n`, body: undefined }
  }
  const content = typeof body === 'string' ? asLatin1(body) : joinable(body)
  return { head: `${head}content-length: ${content.length}\r\n\r\n`, body: content }
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
