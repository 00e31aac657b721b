import { Buffer } from 'node:buffer'
import type { Permit } from '../admission/types.ts'
import type { Grant } from '../grants/grant.ts'
import { hasLooped, loopReason } from '../network/cdn-loop.ts'
import { settleWith } from '@fairlead/runtime'
import { busy } from '../admission/rejections.ts'
import type { CallCost } from '../usage/units.ts'
import { recordFailure, recordSuccess } from '../clients/connection-failures.ts'
import type { Reservation } from '../memory/memory-ledger.ts'
import { RequestContext } from './request-context.ts'
import {
  originFields,
  preflightFields,
  responseFieldLines,
  responseFieldNames,
  responseFields,
} from './response-fields.ts'
import { type HttpRequest, type HttpResponse, setHeaders } from './types.ts'
import type { RequestHandler, RequestRules, HttpDependencies, ErrorResponse } from './dependencies.ts'
import { acceptedEncodings } from './body-encoding.ts'
import { type BodyStatus, isShort, readBody } from './read-body.ts'
import type { RouteMatch } from './route.ts'

// The operating system buffers this much even if the client does not read.
const osBufferBytes = 65_536
// A shorter response is part of what each request costs.
const shortResponseBytes = 8_192
// In calls, as the tick budget counts.
const unitsOfRequest = 10
// Both sides of a response that is forwarded as it arrives hold a chunk of this size.
const streamedBytes = 2 * 65_536

/**
 * Creates the request handler of a protocol. It creates a context for each request.
 *
 * @param handle - serves a request. If it returns a promise, the request ends when the promise settles; otherwise it
 * ends with {@link HttpContext.finish} or {@link HttpContext.fail}.
 */
export function createRequestHandler(
  dependencies: HttpDependencies,
  rules: RequestRules,
  handle: ContextHandler,
): RequestHandler {
  return (request, response, match) => {
    const context = new HttpContext(dependencies, rules, request, response)
    const { headers, method } = request
    context.begin(headers, method)
    if (context.hasAsyncContext) context.run(() => context.serve(match, handle))
    else context.serve(match, handle)
  }
}

/** Serves a request, except preflights. The protocol's rules map an error that it throws to a response. */
export type ContextHandler = (context: HttpContext, match: RouteMatch) => Promise<void> | void

/**
 * One HTTP request to a protocol, from its headers to the last byte of its response: the behavior that all protocols
 * share.
 */
export class HttpContext extends RequestContext {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly #dependencies: HttpDependencies
  readonly #rules: RequestRules
  #body: Reservation | undefined
  #unsent: Reservation | undefined
  #isRejected = false

  constructor(
    dependencies: HttpDependencies,
    rules: RequestRules,
    request: HttpRequest,
    response: HttpResponse,
  ) {
    super(dependencies, rules)
    this.#dependencies = dependencies
    this.#rules = rules
    this.request = request
    this.response = response
  }

  /** Serves a request. Does not throw. */
  serve(match: RouteMatch, handle: ContextHandler): void {
    this.response.once('close', () => {
      // After a complete response there is nothing to abort.
      if (!this.response.writableFinished) this.abort()
      this.#unsent?.release()
    })
    try {
      this.#setCommonHeaders()
      if (this.request.method === 'OPTIONS') {
        this.#respondToPreflight(match)
        this.finish()
        return
      }
      if (hasLooped(this.#dependencies.loops, this.request.headers)) {
        throw this.#rules.failure({ status: 508, reason: loopReason })
      }
      const pending = handle(this, match)
      if (!pending) return
      settleWith(pending, { resolve: () => this.finish(), reject: (error) => this.fail(error) })
    } catch (error) {
      this.fail(error)
    }
  }

  /** Runs a step of the response; an error that it throws ends the request. */
  guard(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.fail(error)
    }
  }

  /** Ends the request with the response for an error, if the client is still connected. */
  fail(error: unknown): void {
    const lingering = this.isOver()
      ? undefined
      : this.#reject(this.#rules.rejectionOf(error, this.log, this.request))
    if (lingering) {
      settleWith(lingering, { resolve: () => this.finish(), reject: () => this.finish() })
    } else this.finish()
  }

  /** Ends the request when the response is complete. */
  override finish(): void {
    if (this.isFinished) return
    this.#body?.release()
    if (!this.#isRejected) recordSuccess(this.request)
    this.span?.setAttributes({ 'http.response.status_code': this.status })
    super.finish()
  }

  /**
   * Authenticates the request and returns the grant of its node.
   *
   * @throws the error of the protocol for a credential that is unknown or not valid for this protocol
   */
  authenticate(path: { readonly token?: string | undefined }): Grant {
    const { protocol, failure } = this.#rules
    const { authenticator } = this.#dependencies
    const entered = authenticator.authenticate(protocol, path, this.request)
    if ('status' in entered) {
      if (entered.status === 401) this.response.setHeader('www-authenticate', 'Basic realm="node"')
      throw failure(entered)
    }
    this.grant = entered
    this.#allowOrigin(authenticator.originFor(entered, this.request.headers.origin))
    return entered
  }

  /** Same as {@link RequestContext.admit}; waits for its turn when other work has used up the budget of this tick. */
  override admit(method: string, cost?: CallCost): Permit | Promise<Permit> {
    const permit = super.admit(method, cost)
    const turn = this.turn(unitsOfRequest)
    return turn === undefined ? permit : Promise.all([permit, turn]).then(([admitted]) => admitted)
  }

  /**
   * Uses the budget of this tick; the request must be authenticated.
   *
   * @param units - duration of the work, in calls
   * @returns a promise to wait for when the budget is used up
   */
  turn(units: number): Promise<void> | undefined {
    const { budget } = this.#dependencies
    if (!budget || budget.spend(units)) return undefined
    return new Promise((resolve) => budget.run(this.grant as Grant, units, resolve))
  }

  /**
   * Reserves memory for bytes of the body, until the request is finished.
   *
   * @throws the error of the protocol when the client may not hold so much
   */
  reserveBody(bytes: number): void {
    const { memory } = this.#dependencies
    if (!memory) return
    this.#body ??= memory.reserve(this.grant, 'request')
    if (this.#body.tryTake(bytes)) {
      throw this.#rules.failure(
        busy('The gateway has reached its memory limit for request bodies. Try again later.'),
      )
    }
  }

  /**
   * Reserves memory for a response that is forwarded as it arrives, until it was sent.
   *
   * @throws the error of the protocol when the client may not hold so much
   */
  reserveStream(): void {
    this.#reserveUnsent(streamedBytes)
  }

  #reserveUnsent(bytes: number): void {
    const { memory } = this.#dependencies
    if (!memory) return
    this.#unsent ??= memory.reserve(this.grant, 'pending')
    if (this.#unsent.tryTake(bytes)) {
      throw this.#rules.failure(
        busy('The responses exceed the memory limit of the gateway. Request less data or retry.'),
      )
    }
  }

  /**
   * Reads the body, as {@link readBody}.
   *
   * @throws the error of the protocol when the memory budget for bodies is exhausted
   */
  async readBody(maxBytes: number, toError: (status: BodyStatus, message: string) => Error): Promise<Buffer> {
    const { bufferedBody } = this.request
    if (bufferedBody !== undefined) return Buffer.from(bufferedBody, 'latin1')
    const toBodyError = (status: BodyStatus, message: string) => {
      if (status === 415) this.response.setHeader('accept-encoding', acceptedEncodings)
      return toError(status, message)
    }
    return readBody(this.request, {
      maxBytes,
      toError: toBodyError,
      reserve: (bytes) => this.reserveBody(bytes),
    })
  }

  /**
   * Sends a complete response: JSON, unless a header specifies another type.
   *
   * @param encoding - encoding of a string; `latin1` for one character per byte
   * @throws the error of the protocol when the client may not hold a response of this length
   */
  end(status: number, content?: string | Uint8Array, encoding: 'utf8' | 'latin1' = 'utf8'): void {
    if (this.response.headersSent || this.response.destroyed) return
    if (content !== undefined && content.length > shortResponseBytes) this.#reserveUnsent(content.length)
    this.status = status
    this.response.statusCode = status
    if (content === undefined) {
      this.response.end()
      return
    }
    if (!this.response.hasHeader('content-type')) {
      this.response.setHeader('content-type', 'application/json')
    }
    // Without a timeout, the response to a client that does not read would be held forever.
    if (content.length > osBufferBytes) this.response.setTimeout(this.#dependencies.timeoutMs)
    this.bytesOut = encoding === 'latin1' ? content.length : Buffer.byteLength(content)
    // ASCII text is the same in both encodings, and `latin1` needs no further check.
    this.response.end(content, this.bytesOut === content.length ? 'latin1' : encoding)
  }

  /** Calls a function when the response was sent or can no longer be sent. */
  whenOver(run: () => void): void {
    if (this.response.destroyed) run()
    else this.response.once('close', run)
  }

  /** Whether the client has disconnected, so that no response can be sent. */
  isOver(): boolean {
    return this.response.destroyed || this.request.socket.destroyed
  }

  #setCommonHeaders(): void {
    const { corsOrigin } = this.#dependencies
    const { exposed } = this.#rules.cors
    if (corsOrigin === '*') {
      const lines = responseFieldLines(this.requestId, exposed)
      if (this.response.presetHeaders({ names: responseFieldNames, lines })) return
    }
    setHeaders(this.response, responseFields(this.requestId, corsOrigin, exposed))
  }

  /** Allows pages of an origin to read the response, according to the node's access rules. */
  #allowOrigin(origin: string | undefined): void {
    if (origin !== undefined) setHeaders(this.response, originFields(origin))
  }

  /** Responds to a CORS preflight. */
  #respondToPreflight({ token }: RouteMatch): void {
    this.#allowOrigin(this.#dependencies.authenticator.originOf('token', token, this.request.headers.origin))
    const { methods, headers } = this.#rules.cors
    setHeaders(this.response, preflightFields(methods, headers))
    this.end(204)
  }

  /** @returns a promise to wait for when the client is still sending */
  #reject({ status, text, headers = {} }: ErrorResponse): Promise<void> | undefined {
    if (this.response.headersSent) {
      // A partial response must not look complete.
      this.response.destroy()
      return undefined
    }
    setHeaders(this.response, headers)
    this.#isRejected = true
    if (recordFailure(this.request, status)) this.response.closeConnection()
    // Node.js reads and drops the rest of a short body, and the connection stays open.
    const { request, response } = this
    if (request.complete || isShort(request, this.#rules.maxBodyBytes)) {
      this.end(status, text)
      return undefined
    }
    this.status = status
    response.statusCode = status
    return response.endAndLinger(request, text)
  }
}
