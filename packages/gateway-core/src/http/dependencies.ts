import type { IncomingMessage } from 'node:http'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { LoopDetector } from '../network/cdn-loop.ts'
import type { HttpRequest, HttpResponse } from './types.ts'
import type { RouteMatch } from './route.ts'
import type { Directory } from '../authentication/directory.ts'
import type { Authenticator } from '../authentication/authenticator.ts'
import type { MemoryBudget } from '../memory/memory-budget.ts'
import type { RequestKind, RequestServices } from './request-context.ts'

/** What the requests of every protocol need from the rest of the service. */
export interface HttpDependencies extends RequestServices {
  readonly directory: Directory
  readonly authenticator: Authenticator
  /** How long a node may take to answer, and a client to go on reading. */
  readonly timeoutMs: number
  readonly corsOrigin: string
  /** Refuses requests that have passed through this service before; none when left out. */
  readonly loops?: LoopDetector | undefined
  /** For the bodies of all requests together; any number of bytes when it is left out. */
  readonly bodyMemory?: Pick<MemoryBudget, 'take' | 'release'> | undefined
}

/** In what the protocols differ. */
export interface RequestRules extends RequestKind {
  /** Longest request body. */
  readonly maxBodyBytes: number
  /** Methods and headers that a browser may send, and headers that it may read; lists as in HTTP. */
  readonly cors: { readonly methods: string; readonly headers: string; readonly exposed: string }
  /** How to answer what was thrown while a request was answered. */
  readonly rejectionOf: (error: unknown, log: Logger, request: HttpRequest) => ErrorResponse
}

/** The answer to a request that failed. */
export interface ErrorResponse {
  readonly status: number
  /** JSON. */
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Takes over the connection of a routed WebSocket handshake from the HTTP server. It never throws. */
export type UpgradeHandler = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  match: RouteMatch,
) => void

/**
 * Serves a routed HTTP/2 stream. It never throws.
 *
 * @param raw - names and values of the headers in turns, as received
 */
export type StreamHandler = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  raw: readonly string[],
  match: RouteMatch,
) => void

/** Serves a routed request. It never throws. */
export type RequestHandler = (request: HttpRequest, response: HttpResponse, match: RouteMatch) => void
