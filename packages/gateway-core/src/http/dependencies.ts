import type { IncomingMessage } from 'node:http'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { LoopDetector } from '../network/cdn-loop.ts'
import type { HttpRequest, HttpResponse } from './types.ts'
import type { RouteMatch } from './route.ts'
import type { Directory } from '../authentication/directory.ts'
import type { Authenticator } from '../authentication/authenticator.ts'
import type { TickBudget } from '../admission/tick-budget.ts'
import type { MemoryLedger } from '../memory/memory-ledger.ts'
import type { RequestKind, RequestServices } from './request-context.ts'

/** The dependencies of requests that all protocols share. */
export interface HttpDependencies extends RequestServices {
  readonly directory: Directory
  readonly authenticator: Authenticator
  /** Timeout for an upstream to respond, and for a client to continue reading. */
  readonly timeoutMs: number
  readonly corsOrigin: string
  /** Detects requests that have passed through this gateway before, which are rejected; no detection when omitted. */
  readonly loops?: LoopDetector | undefined
  /** Reserves memory for request bodies; unlimited when omitted. */
  readonly memory?: Pick<MemoryLedger, 'reserve'> | undefined
  /** Spreads requests and long responses over event-loop ticks; all are processed as they arrive when omitted. */
  readonly budget?: TickBudget | undefined
}

/** The request handling that differs between protocols. */
export interface RequestRules extends RequestKind {
  /** Maximum length of a request body. */
  readonly maxBodyBytes: number
  /** Methods and headers that a browser may send, and headers that it may read; lists as in HTTP. */
  readonly cors: { readonly methods: string; readonly headers: string; readonly exposed: string }
  /** Maps an error that was thrown while serving a request to a response. */
  readonly rejectionOf: (error: unknown, log: Logger, request: HttpRequest) => ErrorResponse
}

/** The response to a failed request. */
export interface ErrorResponse {
  readonly status: number
  /** JSON. */
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Takes over the connection of a routed WebSocket handshake from the HTTP server. Must not throw. */
export type UpgradeHandler = (
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  match: RouteMatch,
) => void

/**
 * Serves a routed HTTP/2 stream. Must not throw.
 *
 * @param raw - alternating names and values of the headers, as received
 */
export type StreamHandler = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  raw: readonly string[],
  match: RouteMatch,
) => void

/** Serves a routed request. Must not throw. */
export type RequestHandler = (request: HttpRequest, response: HttpResponse, match: RouteMatch) => void
