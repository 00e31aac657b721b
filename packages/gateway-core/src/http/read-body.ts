import type { Readable } from 'node:stream'
import { decodedBody, encodingOf } from './body-encoding.ts'
import type { HttpRequest } from './types.ts'

/** Why a body is refused: it is no content of its encoding, too long, or in an encoding that is not taken. */
export type BodyStatus = 400 | 413 | 415

/** How a body is read. */
export interface BodyReading {
  /** Longest body, also once it is decoded. */
  readonly maxBytes: number
  /** Makes what is thrown; the text is the same for every protocol. */
  readonly refused: (status: BodyStatus, message: string) => Error
  /** Hears of each piece of the decoded body, and may refuse it by throwing. */
  readonly hold: (bytes: number) => void
}

/**
 * Reads a request body up to a limit, decoded where it is compressed. A longer one is left where it is, so that the answer
 * can still be sent.
 *
 * @param request - an HTTP request of which nothing was read
 * @see RFC 9110, section 8.4 (Content-Encoding)
 */
export function readBody(request: HttpRequest, { maxBytes, refused, hold }: BodyReading): Promise<Buffer> {
  const message = `The body may hold at most ${maxBytes} bytes.`
  if (Number(request.headers['content-length']) > maxBytes) return Promise.reject(refused(413, message))
  const encoding = encodingOf(request.headers['content-encoding'])
  if (encoding === undefined) {
    return Promise.reject(refused(415, 'The body may be compressed by gzip or deflate only.'))
  }
  const received = request.bodyStream()
  const body: Readable = encoding === 'identity' ? received : decodedBody(received, encoding)
  const chunks: Buffer[] = []
  let length = 0
  // Listeners, as an iterator costs several times what it takes to read a short body.
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      length += chunk.length
      try {
        if (length > maxBytes) throw refused(413, message)
        hold(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        received.pause()
        fail(error as Error)
      }
    }
    const leave = () => {
      body.off('data', take).off('end', end).off('error', broken)
      received.off('close', gone)
      if (body === received) return
      received.unpipe()
      body.on('error', () => undefined).destroy()
    }
    const end = () => {
      leave()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    }
    const fail = (error: Error) => {
      leave()
      reject(error)
    }
    const broken = (error: Error) =>
      fail(body === received ? error : refused(400, `The body is not valid ${encoding}.`))
    const gone = () => {
      // What is decoded may come to its end behind that of the request.
      if (!request.complete) fail(new Error('The client left in the middle of its body.'))
    }
    body.on('data', take).on('end', end).on('error', broken)
    received.on('close', gone)
    if (received.destroyed) gone()
  })
}

/** Tells whether what is left of a body is short enough to be read and thrown away. */
export function isShort({ headers }: Pick<HttpRequest, 'headers'>, maxBytes: number): boolean {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length'] ?? 0) > maxBytes)
}
