import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  ServerResponse,
} from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { endAndLinger } from '../lingering-close.ts'
import type { HttpRequest, HttpResponse } from '../types.ts'

/** A node:http request. */
export class NodeRequest extends IncomingMessage implements HttpRequest {
  readonly bufferedBody = undefined
  readonly headState = undefined

  bodyStream(): Readable {
    return this
  }

  headerList(): readonly string[] {
    return this.rawHeaders
  }
}

/** A node:http response. */
export class NodeResponse extends ServerResponse<NodeRequest> implements HttpResponse {
  presetHeaders(): false {
    return false
  }

  contentStream(): Writable {
    return this
  }

  closeConnection(): void {
    this.shouldKeepAlive = false
  }

  isDisconnected(): boolean {
    return this.destroyed || this.socket?.destroyed === true
  }

  endAndLinger(request: HttpRequest, text: string): Promise<void> {
    return endAndLinger(request, this, text)
  }
}

/** Creates a node:http server whose requests and responses implement {@link HttpRequest} and {@link HttpResponse}. */
export function createNodeServer(
  options: Omit<ServerOptions, 'IncomingMessage' | 'ServerResponse'>,
  listener: (request: NodeRequest, response: NodeResponse) => void,
): Server {
  const classes = { IncomingMessage: NodeRequest, ServerResponse: NodeResponse }
  // Node.js passes instances of these classes to all listeners, but the types of plain servers do not express that.
  return createServer({ ...options, ...classes } as ServerOptions, listener as RequestListener)
}
