import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RpcFailure } from '../json-rpc/rpc-error.ts'
import { errorText } from '../json-rpc/rpc-text.ts'

/**
 * Answers a WebSocket handshake that fails as the same failure is answered over HTTP, and ends the connection.
 *
 * @param socket - nothing was written to it so far
 * @param failure - its status must not be 2xx
 * @param headers - beside those of every refusal
 */
export function refuseUpgrade(
  socket: Duplex,
  failure: RpcFailure,
  headers: Readonly<Record<string, string>>,
): void {
  const body = errorText('null', failure)
  const all = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const status = `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ''}`
  socket.once('finish', () => socket.destroy())
  socket.end([status, ...lines, '', body].join('\r\n'))
}
