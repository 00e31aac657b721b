import { Buffer } from 'node:buffer'
import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import type { Grant } from '../grants/grant.ts'
import { loopReason, withPassedThrough } from '../network/cdn-loop.ts'
import { settleWith } from '../completion.ts'
import { Cancellation, type CancellationSignal } from '@fairlead/http1'
import { busy } from '../admission/rejections.ts'
import type { MeasuredCall } from '../usage/meter.ts'
import { isRequestLogged } from '../telemetry/logged-requests.ts'
import { inTrace, type TraceSpan } from '../telemetry/current-trace.ts'
import type { HttpRequest, HttpResponse } from './types.ts'
import type { RequestRules, HttpDependencies, ErrorResponse } from './dependencies.ts'
import { acceptedEncodings } from './body-encoding.ts'
import { type BodyStatus, isShort, readBody } from './read-body.ts'
import { makeRequestId } from './request-id.ts'

// What proxies write down for a client that left before its answer; no client ever sees it.
const clientGone = 499

const firstServerError = 500

// The operating system takes this much whether or not the client reads.
const heldAlways = 65_536

const presetNames = ['x-request-id', 'access-control-allow-origin', 'access-control-expose-headers']

function presetLines(requestId: string, exposed: string): string {
  return `x-request-id: ${requestId}\r\naccess-control-allow-origin: *\r\naccess-control-expose-headers: ${exposed}\r\n`
}

/** One HTTP request to a node from its headers to the last byte of its answer: what all protocols do alike. */
export class HttpContext {
  readonly request: HttpRequest
  readonly response: HttpResponse
  /** What was called, for counting; never a text that the caller chose. */
  method = 'unknown'
  /** Status that was answered, for counting. */
  status = clientGone
  /** Set where the time says nothing about how fast the node is. */
  isStreaming = false
  /** Bytes of the request's body, and of the answer's so far. */
  bytesIn = 0
  bytesOut = 0
  /** The calls of a batch. */
  calls: readonly MeasuredCall[] | undefined
  readonly #dependencies: HttpDependencies
  readonly #rules: RequestRules
  readonly #ended = new Cancellation()
  readonly #requestId = makeRequestId()
  readonly #started = performance.now()
  #bodyBytes = 0
  #grant: Grant | undefined
  #log: Logger | undefined
  #part: TraceSpan | undefined
  #isMeasured = false

  constructor(
    dependencies: HttpDependencies,
    rules: RequestRules,
    request: HttpRequest,
    response: HttpResponse,
  ) {
    this.#dependencies = dependencies
    this.#rules = rules
    this.request = request
    this.response = response
  }

  /** Log of this request; made when there is something to say. */
  get log(): Logger {
    this.#log ??= this.#dependencies.log.child({ request_id: this.#requestId })
    return this.#log
  }

  /** Ends when the client goes away, or by {@link abort}. */
  get signal(): CancellationSignal {
    return this.#ended
  }

  abort(reason: unknown): void {
    this.#ended.abort(reason)
  }

  /** When the request came, on the clock of `performance.now()`. */
  get started(): number {
    return this.#started
  }

  /** Runs an answer to its end; what it throws is answered as the rules say. It never throws. */
  run(path: { readonly token?: string | undefined }, answer: () => Promise<void>): void {
    this.begin(path, () =>
      settleWith(answer(), { resolve: () => this.finish(), reject: (error) => this.fail(error) }),
    )
  }

  /** As {@link run} for an answer that tells of its end by {@link finish} or {@link fail}. */
  begin(path: { readonly token?: string | undefined }, answer: () => void): void {
    const loop = this.request.headers['cdn-loop']
    if (loop === undefined) this.#trace(path, answer)
    else withPassedThrough(String(loop), () => this.#trace(path, answer))
  }

  #trace(path: { readonly token?: string | undefined }, answer: () => void): void {
    const { traceparent } = this.request.headers
    const part = this.#dependencies.tracing?.begin(
      typeof traceparent === 'string' ? traceparent : undefined,
      {
        'http.request.method': this.request.method,
        'fairlead.protocol': this.#rules.protocol,
        'fairlead.request_id': this.#requestId,
      },
    )
    this.#part = part
    if (part) inTrace(part, () => this.#begin(path, answer))
    else this.#begin(path, answer)
  }

  #begin(path: { readonly token?: string | undefined }, answer: () => void): void {
    this.response.once('close', () => {
      // Nothing is left to end behind a whole answer.
      if (!this.response.writableFinished) this.#ended.abort()
    })
    this.guard(() => {
      this.#setCommonHeaders()
      if (this.request.method !== 'OPTIONS') {
        this.#refuseLoop()
        return answer()
      }
      this.#answerPreflight(path)
      this.finish()
    })
  }

  /** @throws what the rules make of a request that has passed through this service before */
  #refuseLoop(): void {
    const loop = this.request.headers['cdn-loop']
    if (loop === undefined || this.#dependencies.loops?.isLoop(String(loop)) !== true) return
    throw this.#rules.failure({ status: 508, reason: loopReason })
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
  finish(): void {
    if (this.#isMeasured) return
    this.#isMeasured = true
    this.#dependencies.bodyMemory?.release(this.#bodyBytes, this.#grant?.credentialId)
    this.#measure()
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
    this.#grant = entered
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
      if (this.#dependencies.bodyMemory?.take(bytes, this.#grant?.credentialId) === false) {
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
      const lines = presetLines(this.#requestId, this.#rules.cors.exposed)
      if (this.response.presetHeaders({ names: presetNames, lines })) return
    }
    this.response.setHeader('x-request-id', this.#requestId)
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
  #answerPreflight(path: { readonly token?: string | undefined }): void {
    this.#allowOrigin(
      this.#dependencies.authenticator.originOf('token', path.token, this.request.headers.origin),
    )
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

  #measure(): void {
    const { protocol } = this.#rules
    const durationSeconds = (performance.now() - this.#started) / 1_000
    this.#dependencies.meter({
      protocol,
      grant: this.#grant,
      method: this.method,
      status: this.status,
      durationSeconds: this.isStreaming ? undefined : durationSeconds,
      bytesIn: this.bytesIn,
      bytesOut: this.bytesOut,
      calls: this.calls,
    })
    this.#endTrace()
    const { log, logRequests } = this.#dependencies
    if (!isRequestLogged(log, logRequests, this.status)) return
    this.log.info(
      {
        node_id: this.#grant?.nodeId,
        credential_id: this.#grant?.credentialId,
        method: this.method,
        status: this.status,
        duration_ms: Math.round(durationSeconds * 1_000),
        bytes_in: this.bytesIn,
        bytes_out: this.bytesOut,
      },
      'node request',
    )
  }

  #endTrace(): void {
    const part = this.#part
    if (!part) return
    part.note({
      'rpc.method': this.method,
      ...this.#rules.traceAttributes,
      'http.response.status_code': this.status,
      'fairlead.node_id': this.#grant?.nodeId,
      'fairlead.credential_id': this.#grant?.credentialId,
    })
    part.end(this.status >= firstServerError ? String(this.status) : undefined)
  }
}
