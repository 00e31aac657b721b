import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type { HttpRequest, HttpResponse } from './types.ts'

const lingerMs = 2_000

/**
 * Sends the response to a request whose body is too long to be read, and closes the connection.
 *
 * Closing a connection while the client still sends resets it, and a reset discards the response in transit. Therefore
 * the response is sent first, and for a short time further data from the client is dropped.
 *
 * @param request - its body is not read any further
 * @param response - its status is set
 * @param text - JSON
 */
export async function endAndLinger(
  request: HttpRequest,
  response: HttpResponse,
  text: string,
): Promise<void> {
  // HTTP/2 has no such header (RFC 9113, section 8.2.2).
  if (request.httpVersionMajor === 1) response.setHeader('connection', 'close')
  response.setHeader('content-type', 'application/json')
  response.setHeader('content-length', Buffer.byteLength(text))
  const content = response.contentStream()
  content.write(text)
  const body = request.bodyStream().resume()
  const enough = AbortSignal.timeout(lingerMs)
  await Promise.race([
    finished(body, { signal: enough, cleanup: true }),
    once(content, 'close', { signal: enough }),
  ]).catch(() => undefined)
  content.end()
}
