import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestHead } from './request-head.ts'

/** A request that the front has read to its end: what listeners ask of an `IncomingMessage`. */
export class FrontRequest<path, memo> {
  readonly method = 'POST'
  readonly complete = true
  readonly url: string
  /** The same, taken apart. */
  readonly path: path
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  /** Shared by the requests of a connection that have the very same head. */
  readonly memo: memo
  /** The whole body, a character for each byte. */
  readonly latin1: string

  constructor({ target, path, headers, memo }: RequestHead<path, memo>, socket: Socket, latin1: string) {
    this.memo = memo
    this.url = target
    this.path = path
    this.headers = headers
    this.socket = socket
    this.latin1 = latin1
  }
}
