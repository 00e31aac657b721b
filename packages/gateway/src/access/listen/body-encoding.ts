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

/** Decodes a body as it comes; an error says that it is no content of its encoding. */
export function decodedBody(body: Readable, encoding: 'gzip' | 'deflate'): Readable {
  return body.pipe(encoding === 'gzip' ? createGunzip() : createInflate())
}
