import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { OrdinaryMethod, RequestHead } from './request-head.ts'

/** A completely read request, with the properties of an `IncomingMessage` that listeners use. */
export class Http1ServerRequest<match, headState> {
  readonly method: OrdinaryMethod
  readonly httpVersionMajor = 1
  readonly complete = true
  readonly url: string
  /** The parsed request target. */
  readonly match: match
  readonly headers: IncomingHttpHeaders
  readonly socket: Socket
  /** Shared by the requests of a connection that have an identical {@link RequestHead}. */
  readonly headState: headState
  /** The whole body, one character per byte. */
  readonly bufferedBody: string

  constructor(
    { method, target, match, headers, headState }: RequestHead<match, headState>,
    socket: Socket,
    body: string,
  ) {
    this.method = method
    this.headState = headState
    this.url = target
    this.match = match
    this.headers = headers
    this.socket = socket
    this.bufferedBody = body
  }

  bodyStream(): Readable {
    return Readable.from([Buffer.from(this.bufferedBody, 'latin1')])
  }

  /** Alternating names and values of the headers. */
  headerList(): readonly string[] {
    return Object.entries(this.headers).flat() as readonly string[]
  }
}
