import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Serves requests whose Upgrade header is ignored, such as `h2c`. The parser of Node.js stops behind such a request and
 * drops what arrived with it: the next requests of a client that pipelines. Therefore the request is parsed again,
 * without the header.
 *
 * @see RFC 9110, section 7.8
 */
export class IgnoredUpgrades {
  /** Each parsing adds listeners to the connection, so that only one request of it is parsed again. */
  readonly #parsedAgain = new WeakSet<Duplex>()
  readonly #requests = new WeakSet<IncomingMessage>()
  readonly #lastResponses = new WeakMap<Duplex, ServerResponse>()

  /** Notes a request that is being served. Its connection is closed after the response if later requests are dropped. */
  onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (request.httpVersionMajor !== 1) return
    this.#lastResponses.set(request.socket, response)
    if (hasUpgrade(request)) response.shouldKeepAlive = false
  }

  /** Whether to parse a request again. Node.js then hands over its connection, as for an upgrade. */
  shouldParseAgain(request: IncomingMessage): boolean {
    const { socket } = request
    // A response in progress belongs to the first parser, which could no longer write it.
    if (this.#parsedAgain.has(socket) || this.#lastResponses.get(socket)?.closed === false) return false
    this.#parsedAgain.add(socket)
    this.#requests.add(request)
    return true
  }

  /**
   * Parses a request again.
   *
   * @param head - the bytes behind the header fields
   * @returns false when the request is a handshake that the gateway accepts
   */
  parseAgain(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!this.#requests.has(request)) return false
    socket.pause()
    socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]))
    server.emit('connection', socket)
    socket.resume()
    return true
  }
}

/** Whether the parser regards a request as an upgrade. */
function hasUpgrade({ headers: { upgrade, connection = '' } }: IncomingMessage): boolean {
  return upgrade !== undefined && /(?:^|[\s,])upgrade(?:[\s,]|$)/i.test(connection)
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${value}`)
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
