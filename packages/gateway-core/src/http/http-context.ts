import { Buffer } from 'node:buffer'
import type { Grant } from '../grants/grant.ts'
import { hasLooped, loopReason } from '../network/cdn-loop.ts'
import { settleWith } from '../completion.ts'
import { busy } from '../admission/rejections.ts'
import { RequestContext } from './request-context.ts'
import type { HttpRequest, HttpResponse } from './types.ts'
import type { RequestHandler, RequestRules, HttpDependencies, ErrorResponse } from './dependencies.ts'
import { acceptedEncodings } from './body-encoding.ts'
import { type BodyStatus, isShort, readBody } from './read-body.ts'
import type { RouteMatch } from './route.ts'

// The operating system takes this much whether or not the client reads.
const heldAlways = 65_536

const presetNames = ['x-request-id', 'access-control-allow-origin', 'access-control-expose-headers']

function presetLines(requestId: string, exposed: string): string {
  return `x-request-id: ${requestId}\r\naccess-control-allow-origin: *\r\naccess-control-expose-headers: ${exposed}\r\n`
}

/**
 * Makes the handler of requests to a protocol, each with a context of its own.
 *
 * @param handle - answers a request; where it returns a promise, the request ends with it, elsewhere by
 *   {@link HttpContext.finish} or {@link HttpContext.fail}
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

/** Answers a request, preflights excepted. What it throws is answered as the rules say. */
export type ContextHandler = (context: HttpContext, match: RouteMatch) => Promise<void> | void

/** One HTTP request to a protocol from its headers to the last byte of its answer: what all protocols do alike. */
export class HttpContext extends RequestContext {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly #dependencies: HttpDependencies
  readonly #rules: RequestRules
  #bodyBytes = 0

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

  /** Has a request answered; it never throws. */
  serve(match: RouteMatch, handle: ContextHandler): void {
    this.response.once('close', () => {
      // Nothing is left to end behind a whole answer.
      if (!this.response.writableFinished) this.abort()
    })
    try {
      this.#setCommonHeaders()
      if (this.request.method === 'OPTIONS') {
        this.#answerPreflight(match)
        this.finish()
        return
      }
      if (hasLooped(this.#dependencies.loops, this.request.headers)) {
        throw this.#rules.failure({ status: 508, reason: loopReason })
      }
      const answered = handle(this, match)
      if (!answered) return
      settleWith(answered, { resolve: () => this.finish(), reject: (error) => this.fail(error) })
    } catch (error) {
      this.fail(error)
    }
  }

  /** Runs a piece of the answer; what it throws is how the request ends. */
  guard(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.fail(error)
    }
  }

  /** Ends with what went wrong, as the rules say, if there is anybody to be told. */
  fail(error: unknown): void {
    const lingering = this.isOver()
      ? undefined
      : this.#refuse(this.#rules.rejectionOf(error, this.log, this.request))
    if (lingering) {
      settleWith(lingering, { resolve: () => this.finish(), reject: () => this.finish() })
    } else this.finish()
  }

  /** Ends when nothing is left to be answered. */
  override finish(): void {
    if (this.isFinished) return
    this.#dependencies.bodyMemory?.release(this.#bodyBytes, this.grant?.credentialId)
    this.span?.note({ 'http.response.status_code': this.status })
    super.finish()
  }

  /**
   * Finds the node that the request's credential opens.
   *
   * @throws what the rules make of a credential that opens nothing, or nothing for this protocol
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

  /**
   * Reads the body, as {@link readBody}.
   *
   * @throws what the rules make of a service that holds too many bodies
   */
  async readBody(maxBytes: number, refused: (status: BodyStatus, message: string) => Error): Promise<Buffer> {
    const { bufferedBody } = this.request
    if (bufferedBody !== undefined) return Buffer.from(bufferedBody, 'latin1')
    const hold = (bytes: number) => {
      if (this.#dependencies.bodyMemory?.take(bytes, this.grant?.credentialId) === false) {
        throw this.#rules.failure(busy('The service holds too many bodies at the moment.'))
      }
      this.#bodyBytes += bytes
    }
    const refuse = (status: BodyStatus, message: string) => {
      if (status === 415) this.response.setHeader('accept-encoding', acceptedEncodings)
      return refused(status, message)
    }
    return readBody(this.request, { maxBytes, refused: refuse, hold })
  }

  /**
   * Answers with content that is at hand: JSON, unless a header says otherwise.
   *
   * @param encoding - of a text; one that has a character for each byte is `latin1`
   */
  end(status: number, content?: string | Uint8Array, encoding: 'utf8' | 'latin1' = 'utf8'): void {
    if (this.response.headersSent || this.response.destroyed) return
    this.status = status
    this.response.statusCode = status
    if (content === undefined) {
      this.response.end()
      return
    }
    if (!this.response.hasHeader('content-type')) {
      this.response.setHeader('content-type', 'application/json')
    }
    // A client that does not read would have its answer held for ever.
    if (content.length > heldAlways) this.response.setTimeout(this.#dependencies.timeoutMs)
    this.bytesOut = encoding === 'latin1' ? content.length : Buffer.byteLength(content)
    // What is ASCII is the same in both, and then nobody has to look again.
    this.response.end(content, this.bytesOut === content.length ? 'latin1' : encoding)
  }

  /** Runs something when the answer has left, or cannot any more. */
  whenOver(run: () => void): void {
    if (this.response.destroyed) run()
    else this.response.once('close', run)
  }

  /** Whether the client is gone, so that there is nobody to answer. */
  isOver(): boolean {
    return this.response.destroyed || this.request.socket.destroyed
  }

  #setCommonHeaders(): void {
    const { corsOrigin } = this.#dependencies
    if (corsOrigin === '*') {
      const lines = presetLines(this.requestId, this.#rules.cors.exposed)
      if (this.response.presetHeaders({ names: presetNames, lines })) return
    }
    this.response.setHeader('x-request-id', this.requestId)
    this.response.setHeader('access-control-allow-origin', corsOrigin)
    this.response.setHeader('access-control-expose-headers', this.#rules.cors.exposed)
    if (corsOrigin !== '*') this.response.setHeader('vary', 'origin')
  }

  /** Lets pages of an origin read the answer that a node's own rules allow. */
  #allowOrigin(origin: string | undefined): void {
    if (origin === undefined) return
    this.response.setHeader('access-control-allow-origin', origin)
    this.response.setHeader('vary', 'origin')
  }

  /** Answers a browser that asks whether it may call. */
  #answerPreflight({ token }: RouteMatch): void {
    this.#allowOrigin(this.#dependencies.authenticator.originOf('token', token, this.request.headers.origin))
    const { methods, headers } = this.#rules.cors
    this.response.setHeader('access-control-allow-methods', methods)
    this.response.setHeader('access-control-allow-headers', headers)
    this.response.setHeader('access-control-max-age', '86400')
    this.end(204)
  }

  /** @returns what to wait for where the client is still sending */
  #refuse({ status, text, headers = {} }: ErrorResponse): Promise<void> | undefined {
    if (this.response.headersSent) {
      // Half an answer must not look whole.
      this.response.destroy()
      return undefined
    }
    for (const [name, value] of Object.entries(headers)) this.response.setHeader(name, value)
    // Node reads and drops what is left of a short body, and the connection lives on.
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
