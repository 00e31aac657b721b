import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { RequestMemo } from '../client-address.ts'
import type { NodePath } from '../node-path.ts'
import type { RequestHead } from './request-head.ts'

/** A request that the front has read to its end: what listeners ask of an `IncomingMessage`. */
export class FrontRequest {
  readonly method = 'POST'
  readonly complete = true
  readonly url: string
  /** The same, taken apart. */
  readonly path: NodePath
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  /** Shared by the requests of a connection that have the very same head. */
  readonly memo: RequestMemo
  /** The whole body, a character for each byte. */
  readonly latin1: string

  constructor({ target, path, headers, memo }: RequestHead, socket: Socket, latin1: string) {
    this.memo = memo
    this.url = target
    this.path = path
    this.headers = headers
    this.socket = socket
    this.latin1 = latin1
  }
}
