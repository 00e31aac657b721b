import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'

const lingerMs = 2_000

/**
 * Answers a request whose body is too long to be read, and ends the connection.
 *
 * A connection that is closed while the client still sends is reset, and a reset throws away the answer that is on its
 * way. So the answer goes out first, and what the client still sends is dropped for a short while.
 *
 * @param request - its body is not read any further
 * @param response - status and headers are set
 * @param text - body of the answer
 */
export async function endAndLinger(
  request: IncomingMessage,
  response: ServerResponse,
  text: string,
): Promise<void> {
  // HTTP/2 has no such header (RFC 9113, section 8.2.2).
  if (request.httpVersionMajor === 1) response.setHeader('connection', 'close')
  response.setHeader('content-length', Buffer.byteLength(text))
  response.write(text)
  request.resume()
  const enough = AbortSignal.timeout(lingerMs)
  await Promise.race([
    finished(request, { signal: enough, cleanup: true }),
    once(response, 'close', { signal: enough }),
  ]).catch(() => undefined)
  response.end()
}
