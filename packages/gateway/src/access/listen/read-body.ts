import type { IncomingMessage } from 'node:http'

/**
 * Reads a request body up to a limit. A longer one is left where it is, so that the answer can still be sent.
 *
 * @param request - an HTTP request of which nothing was read
 * @param maxBytes - longest body
 * @param tooLong - makes what is thrown when it is longer; the text is the same for every protocol
 * @param hold - hears of each piece, and may refuse it by throwing
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  tooLong: (message: string) => Error,
  hold: (bytes: number) => void,
): Promise<Buffer> {
  const message = `The body may hold at most ${maxBytes} bytes.`
  if (Number(request.headers['content-length']) > maxBytes) return Promise.reject(tooLong(message))
  const chunks: Buffer[] = []
  let length = 0
  // Listeners, as an iterator costs several times what it takes to read a short body.
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer) => {
      length += chunk.length
      try {
        if (length > maxBytes) throw tooLong(message)
        hold(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        request.pause()
        fail(error as Error)
      }
    }
    const leave = () => {
      request.off('data', take).off('end', end).off('error', fail).off('close', gone)
    }
    const end = () => {
      leave()
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
    }
    const fail = (error: Error) => {
      leave()
      reject(error)
    }
    const gone = () => fail(new Error('The client left in the middle of its body.'))
    request.on('data', take).on('end', end).on('error', fail).on('close', gone)
    if (request.destroyed) gone()
  })
}

/** Tells whether what is left of a body is short enough to be read and thrown away. */
export function isShort({ headers }: IncomingMessage, maxBytes: number): boolean {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length'] ?? 0) > maxBytes)
}
