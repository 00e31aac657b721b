import type { IncomingMessage } from 'node:http'

/**
 * Reads a request body up to a limit. A longer one is left where it is, so that the answer can still be sent.
 *
 * @param request - an HTTP request
 * @param maxBytes - longest body
 * @param tooLong - makes what is thrown when it is longer; the text is the same for every protocol
 * @param hold - hears of each piece, and may refuse it by throwing
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  tooLong: (message: string) => Error,
  hold: (bytes: number) => void,
): Promise<Buffer> {
  const message = `The body may hold at most ${maxBytes} bytes.`
  if (Number(request.headers['content-length']) > maxBytes) throw tooLong(message)
  const chunks: Buffer[] = []
  let length = 0
  // The ordinary iterator would end the connection along with the loop, and with it the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBytes) throw tooLong(message)
    hold(chunk.length)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}

/** Tells whether what is left of a body is short enough to be read and thrown away. */
export function isShort({ headers }: IncomingMessage, maxBytes: number): boolean {
  return headers['transfer-encoding'] === undefined && !(Number(headers['content-length'] ?? 0) > maxBytes)
}
