import type { Readable } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'

/** How a request body may be encoded. */
export type BodyEncoding = 'identity' | 'gzip' | 'deflate'

/** Value of `Accept-Encoding` in the response to a body in another encoding. */
export const acceptedEncodings = 'gzip, deflate'

/**
 * Reads `Content-Encoding`.
 *
 * @returns undefined for an encoding that is not taken, and for several
 */
export function encodingOf(value: string | undefined): BodyEncoding | undefined {
  switch (value?.trim().toLowerCase() ?? '') {
    case '':
    case 'identity':
      return 'identity'
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    case 'deflate':
      return 'deflate'
    default:
      return undefined
  }
}

/**
 * Decodes a body as it comes.
 *
 * @returns a stream whose error says that the body is no content of its encoding, or ended too early
 */
export function decodedBody(body: Readable, encoding: 'gzip' | 'deflate'): Readable {
  const decoder = encoding === 'gzip' ? createGunzip() : createInflate()
  // A body that is refused unread has no other listener, and an error without one ends the process.
  decoder.on('error', () => undefined)
  body.once('close', () => {
    if (!body.readableEnded) decoder.destroy(new Error('The body ended too early.'))
  })
  return body.pipe(decoder)
}
