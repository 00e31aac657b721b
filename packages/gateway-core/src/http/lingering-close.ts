import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import type { HttpRequest, HttpResponse } from './types.ts'

const lingerMs = 2_000

/**
 * Answers a request whose body is too long to be read, and ends the connection.
 *
 * A connection that is closed while the client still sends is reset, and a reset throws away the answer that is on its
 * way. So the answer goes out first, and what the client still sends is dropped for a short while.
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
