import type { Readable } from 'node:stream'
import { attributeTick } from '@fairlead/runtime'
import { decodedBody, encodingOf } from './body-encoding.ts'
import type { HttpRequest } from './types.ts'

/** Why a body is rejected: it is invalid in its encoding, too long, or has an unsupported encoding. */
export type BodyStatus = 400 | 413 | 415

/** Options of {@link readBody}. */
export interface BodyReading {
  /** Maximum length of the body, also after decoding. */
  readonly maxBytes: number
  /** Creates the error that is thrown; the message is the same for every protocol. */
  readonly toError: (status: BodyStatus, message: string) => Error
  /** Called with the length of each chunk of the decoded body; may reject it by throwing. */
  readonly reserve: (bytes: number) => void
}

/**
 * Reads a request body up to a limit, decoded when it is compressed. The rest of a longer body is not read, so that the
 * response can still be sent.
 *
 * @param request - an HTTP request whose body has not been read
 * @see RFC 9110, section 8.4 (Content-Encoding)
 */
export function readBody(request: HttpRequest, { maxBytes, toError, reserve }: BodyReading): Promise<Buffer> {
  const message = `The request body must have at most ${maxBytes} bytes.`
  if (Number(request.headers['content-length']) > maxBytes) return Promise.reject(toError(413, message))
  const encoding = encodingOf(request.headers['content-encoding'])
  if (encoding === undefined) {
    return Promise.reject(toError(415, 'The Content-Encoding of the request body must be gzip or deflate.'))
  }
  const received = request.bodyStream()
  const body: Readable = encoding === 'identity' ? received : decodedBody(received, encoding)
  let chunks: Buffer[] = []
  let length = 0
  // Listeners, because an iterator costs several times as much as reading a short body.
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      length += chunk.length
      try {
        if (length > maxBytes) throw toError(413, message)
        reserve(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        received.pause()
        fail(error as Error)
      }
    }
    const removeListeners = () => {
      body.off('data', onData).off('end', end).off('error', broken)
      received.off('close', onClose)
      if (body === received) return
      received.unpipe()
      body.on('error', () => undefined).destroy()
    }
    const end = () => {
      attributeTick('http')
      removeListeners()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
      chunks = []
    }
    const fail = (error: Error) => {
      removeListeners()
      // The listeners that remain until the connection closes would keep them.
      chunks = []
      reject(error)
    }
    const broken = (error: Error) =>
      fail(body === received ? error : toError(400, `The body is not valid ${encoding}.`))
    const onClose = () => {
      // The decoder may end after the request.
      if (!request.complete) fail(new Error('The client disconnected before the end of the request body.'))
    }
    body.on('data', onData).on('end', end).on('error', broken)
    received.on('close', onClose)
    if (received.destroyed) onClose()
  })
}

/** Whether the rest of a body is short enough to be read and dropped. */
export function isShort({ headers }: Pick<HttpRequest, 'headers'>, maxBytes: number): boolean {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length'] ?? 0) > maxBytes)
}
