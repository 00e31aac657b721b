const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Encodes the text of `grpc-message`: bytes outside printable ASCII and `%` become `%XX` of their UTF-8 form.
 *
 * @param detail - any text
 * @returns printable ASCII without a space at either end, as HTTP/2 requires for a header
 * @example
 * ```ts
 * encodeStatusMessage('50 % \n') // '50 %25 %0A'
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Status-Message
 */
export function encodeStatusMessage(detail: string): string {
  return detail.replaceAll(/[^ -$&-~]+|^ | $/gu, (text) =>
    Array.from(encoder.encode(text), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
      '',
    ),
  )
}

/**
 * Decodes the text of `grpc-message`. A `%` that is not part of an escape stays unchanged, and bytes that are not UTF-8
 * become U+FFFD, so that an invalid message never hides a status.
 *
 * @param text - value of the header
 * @returns the message
 * @example
 * ```ts
 * decodeStatusMessage('50 %25') // '50 %'
 * ```
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, Status-Message
 */
export function decodeStatusMessage(text: string): string {
  return text.replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (escapes) =>
    decoder.decode(Uint8Array.from(escapes.slice(1).split('%'), (digits) => Number.parseInt(digits, 16))),
  )
}
