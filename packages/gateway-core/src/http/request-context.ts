import type { IncomingHttpHeaders } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { Cancellation, type CancellationSignal } from '@fairlead/http1'
import { type Admission, isRejection, type Permit, type Rejection } from '../admission/types.ts'
import type { Grant } from '../grants/grant.ts'
import { makeRequestId } from './request-id.ts'
import { loopField, withPassedThrough } from '../network/cdn-loop.ts'
import { inTrace, type TraceSpan, type Tracing } from '../telemetry/current-trace.ts'
import { isRequestLogged, type LoggedRequests } from '../telemetry/logged-requests.ts'
import type { MeasuredCall, Meter } from '../usage/meter.ts'

/** What admits, counts, traces and logs requests. */
export interface RequestServices {
  readonly admission: Admission
  readonly meter: Meter
  readonly log: Logger
  /** Requests that get a line in the log; all when left out. */
  readonly logRequests?: LoggedRequests | undefined
  /** Without it no request is part of a trace. */
  readonly tracing?: Tracing | undefined
}

/** What the requests of a protocol have in common. */
export interface RequestKind {
  readonly protocol: string
  /** Attributes of each span of a request, beside those that all protocols have. */
  readonly traceAttributes?: Readonly<Record<string, string>> | undefined
  /** Makes what is thrown when a request may not pass. */
  readonly failure: (rejection: Rejection) => Error
}

/** The headers `traceparent` and `cdn-loop`; any others may stand beside them. */
export type RequestOrigin = Readonly<IncomingHttpHeaders>

// What proxies write down for a client that left before its answer; no client ever sees it.
const clientGone = 499

const firstServerError = 500

/**
 * One HTTP request, WebSocket message or gRPC call from its arrival to its end: what ends it, whose it is, and what is
 * counted, traced and logged about it.
 */
export class RequestContext extends Cancellation {
  /** When the request came, on the clock of `performance.now()`. */
  readonly started = performance.now()
  readonly requestId: string
  /** What its credential opens, once it is authenticated. */
  grant: Grant | undefined
  /** What was called, for counting; never a text that the caller chose. */
  method = 'unknown'
  /** Status of HTTP that says how it ended, for counting. */
  status = clientGone
  /** Name of the status in the protocol, such as `NOT_FOUND` of gRPC, for the log. */
  statusName: string | undefined
  /** Set where the time says nothing about how fast the upstream is. */
  isStreaming = false
  /** Bytes of the request's body, and of the response's so far. */
  bytesIn = 0
  bytesOut = 0
  /** The calls of a batch. */
  calls: readonly MeasuredCall[] | undefined
  /** Undefined when the request is not traced. */
  span: TraceSpan | undefined
  readonly #services: RequestServices
  readonly #kind: RequestKind
  #passedThrough: string | undefined
  #log: Logger | undefined
  #isFinished = false

  constructor(services: RequestServices, kind: RequestKind, requestId = makeRequestId()) {
    super()
    this.requestId = requestId
    this.#services = services
    this.#kind = kind
  }

  /** Ends when the client goes away, or by {@link abort}. */
  get signal(): CancellationSignal {
    return this
  }

  /** Log of this request; made when there is something to say. */
  get log(): Logger {
    this.#log ??= this.#services.log.child({ request_id: this.requestId })
    return this.#log
  }

  get isFinished(): boolean {
    return this.#isFinished
  }

  /** Begins its part of a trace, and notes which services it has passed through. */
  begin({ traceparent, [loopField]: passedThrough }: RequestOrigin, httpMethod?: string): void {
    this.#passedThrough = passedThrough === undefined ? undefined : String(passedThrough)
    this.span = this.#services.tracing?.begin(typeof traceparent === 'string' ? traceparent : undefined, {
      'http.request.method': httpMethod,
      'fairlead.protocol': this.#kind.protocol,
      'fairlead.request_id': this.requestId,
    })
  }

  /** Whether what serves it has to be run by {@link run}: most requests are not traced, and have passed through no service. */
  get hasAsyncContext(): boolean {
    return this.span !== undefined || this.#passedThrough !== undefined
  }

  /** Runs what serves it, so that calls to upstreams know its trace and the services that it has passed through. */
  run(serve: () => void): void {
    const { span } = this
    const inSpan = span ? () => inTrace(span, serve) : serve
    if (this.#passedThrough === undefined) inSpan()
    else withPassedThrough(this.#passedThrough, inSpan)
  }

  /**
   * Takes a call against the limits of its grant; it waits only where all places for calls are taken.
   *
   * @throws what the protocol makes of a rejection, or a promise of it
   */
  admit(method: string): Permit | Promise<Permit> {
    const admitted = this.#services.admission.admit(this.grant as Grant, method, this)
    return admitted instanceof Promise
      ? admitted.then((answer) => this.#permitOf(answer))
      : this.#permitOf(admitted)
  }

  /**
   * As {@link admit} for what stays open as long as the client likes.
   *
   * @throws what the protocol makes of a rejection
   */
  admitStream(method: string): void {
    const rejection = this.#services.admission.admitStream(this.grant as Grant, method)
    if (rejection) throw this.#kind.failure(rejection)
  }

  #permitOf(answer: Permit | Rejection): Permit {
    if (isRejection(answer)) throw this.#kind.failure(answer)
    return answer
  }

  /** Counts the request, ends its span and writes it to the log, once. */
  finish(): void {
    if (this.#isFinished) return
    this.#isFinished = true
    const durationSeconds = (performance.now() - this.started) / 1_000
    this.#services.meter({
      protocol: this.#kind.protocol,
      grant: this.grant,
      method: this.method,
      status: this.status,
      durationSeconds: this.isStreaming ? undefined : durationSeconds,
      bytesIn: this.bytesIn,
      bytesOut: this.bytesOut,
      calls: this.calls,
    })
    if (this.span) this.#endSpan(this.span)
    const { log, logRequests } = this.#services
    if (isRequestLogged(log, logRequests, this.status)) this.#logLine(durationSeconds)
  }

  #endSpan(span: TraceSpan): void {
    span.note({
      'rpc.method': this.method,
      ...this.#kind.traceAttributes,
      'fairlead.node_id': this.grant?.nodeId,
      'fairlead.credential_id': this.grant?.credentialId,
    })
    span.end(this.status >= firstServerError ? (this.statusName ?? String(this.status)) : undefined)
  }

  #logLine(durationSeconds: number): void {
    this.log.info(
      {
        node_id: this.grant?.nodeId,
        credential_id: this.grant?.credentialId,
        protocol: this.#kind.protocol,
        method: this.method,
        status: this.statusName ?? this.status,
        duration_ms: Math.round(durationSeconds * 1_000),
        bytes_in: this.bytesIn,
        bytes_out: this.bytesOut,
      },
      'node request',
    )
  }
}
