import type { Readable } from 'node:stream'
import { createGunzip, createInflate } from 'node:zlib'

/** The supported encodings of a request body. */
export type BodyEncoding = 'identity' | 'gzip' | 'deflate'

/** Value of `Accept-Encoding` in the response to a request body with an unsupported encoding. */
export const acceptedEncodings = 'gzip, deflate'

/**
 * Parses `Content-Encoding`.
 *
 * @returns undefined for an unsupported encoding, and for more than one
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
 * Decodes a body as it arrives.
 *
 * @returns a stream that fails when the body is not valid in its encoding, or ends too early
 */
export function decodedBody(body: Readable, encoding: 'gzip' | 'deflate'): Readable {
  const decoder = encoding === 'gzip' ? createGunzip() : createInflate()
  // A body that is rejected unread has no other listener, and an error without a listener would end the process.
  decoder.on('error', () => undefined)
  body.once('close', () => {
    if (!body.readableEnded) decoder.destroy(new Error('The request body is incomplete.'))
  })
  return body.pipe(decoder)
}
