import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Responds to a WebSocket handshake that fails with a JSON body, and closes the connection.
 *
 * @param socket - nothing has been written to it yet
 * @param status - HTTP status, not 2xx
 * @param headers - headers in addition to those of every rejection
 */
export function rejectUpgrade(
  socket: Duplex,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  const all = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const first = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`
  socket.once('finish', () => socket.destroy())
  socket.end([first, ...lines, '', body].join('\r\n'))
}
