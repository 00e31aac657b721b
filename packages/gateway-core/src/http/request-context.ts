import type { IncomingHttpHeaders } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import { Cancellation, type CancellationSignal } from '@fairlead/runtime'
import { type Admission, isRejection, type Permit, type Rejection } from '../admission/types.ts'
import type { Grant } from '../grants/grant.ts'
import { makeRequestId } from './request-id.ts'
import { loopField, withPassedThrough } from '../network/cdn-loop.ts'
import { inTrace, type TraceSpan, type Tracing } from '../telemetry/current-trace.ts'
import { isRequestLogged, type LoggedRequests } from '../telemetry/logged-requests.ts'
import type { MeasuredCall, Meter } from '../usage/meter.ts'
import { ordinaryCost } from '../usage/units.ts'

/** The services that admit, count, trace and log requests. */
export interface RequestServices {
  readonly admission: Admission
  readonly meter: Meter
  readonly log: Logger
  /** Which requests are logged; all when omitted. */
  readonly logRequests?: LoggedRequests | undefined
  /** Without it, no request is traced. */
  readonly tracing?: Tracing | undefined
}

/** The properties that all requests of a protocol share. */
export interface RequestKind {
  readonly protocol: string
  /** Trace attributes of each request, in addition to those of all protocols. */
  readonly traceAttributes?: Readonly<Record<string, string>> | undefined
  /** Creates the error that is thrown when a request is rejected. */
  readonly failure: (rejection: Rejection) => Error
}

/** The headers `traceparent` and `cdn-loop`, and possibly others. */
export type RequestOrigin = Readonly<IncomingHttpHeaders>

// The status that proxies log for a client that disconnected before its response; no client ever receives it.
const clientClosedRequest = 499

const firstServerError = 500

/**
 * One HTTP request, WebSocket message or gRPC call from its arrival to its end: its cancellation and its grant, and the
 * data for metrics, traces and logs.
 */
export class RequestContext extends Cancellation {
  /** When the request arrived, as a time of `performance.now()`. */
  readonly started = performance.now()
  readonly requestId: string
  /** The grant of its credential, once it is authenticated. */
  grant: Grant | undefined
  /** Name of the called method, for metrics; never a text that the caller chose. */
  method = 'unknown'
  /** HTTP status of the result, for metrics. */
  status = clientClosedRequest
  /** Name of the status in the protocol, such as `NOT_FOUND` in gRPC, for the log. */
  statusName: string | undefined
  /** Whether the duration does not indicate the speed of the upstream. */
  isStreaming = false
  /** Number of bytes of the request body; `bytesOut` counts those of the response so far. */
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

  /** Aborts when the client disconnects, or by {@link abort}. */
  get signal(): CancellationSignal {
    return this
  }

  /** Logger of this request; created on first use. */
  get log(): Logger {
    this.#log ??= this.#services.log.child({ request_id: this.requestId })
    return this.#log
  }

  get isFinished(): boolean {
    return this.#isFinished
  }

  /** Begins its span, and stores the services that it has passed through. */
  begin({ traceparent, [loopField]: passedThrough }: RequestOrigin, httpMethod?: string): void {
    this.#passedThrough = passedThrough === undefined ? undefined : String(passedThrough)
    this.span = this.#services.tracing?.begin(typeof traceparent === 'string' ? traceparent : undefined, {
      'http.request.method': httpMethod,
      'fairlead.protocol': this.#kind.protocol,
      'fairlead.request_id': this.requestId,
    })
  }

  /** Whether {@link run} must run the handler. Most requests are not traced and have passed through no service. */
  get hasAsyncContext(): boolean {
    return this.span !== undefined || this.#passedThrough !== undefined
  }

  /** Runs the handler, so that calls to upstreams carry its trace and the services that it has passed through. */
  run(serve: () => void): void {
    const { span } = this
    const inSpan = span ? () => inTrace(span, serve) : serve
    if (this.#passedThrough === undefined) inSpan()
    else withPassedThrough(this.#passedThrough, inSpan)
  }

  /**
   * Checks a call against the limits of its grant; it waits only when all concurrency slots are taken.
   *
   * @throws the protocol's error for a rejection, or returns a promise that rejects with it
   */
  admit(method: string, cost = ordinaryCost): Permit | Promise<Permit> {
    const admitted = this.#services.admission.admit(this.grant as Grant, method, cost, this)
    return admitted instanceof Promise
      ? admitted.then((decision) => this.#permitOf(decision))
      : this.#permitOf(admitted)
  }

  /**
   * Same as {@link admit}, for long-lived streams.
   *
   * @throws the protocol's error for a rejection
   */
  admitStream(method: string, cost = ordinaryCost): void {
    const rejection = this.#services.admission.admitStream(this.grant as Grant, method, cost)
    if (rejection) throw this.#kind.failure(rejection)
  }

  #permitOf(decision: Permit | Rejection): Permit {
    if (isRejection(decision)) throw this.#kind.failure(decision)
    return decision
  }

  /** Counts the request, ends its span and logs it. Only the first call has an effect. */
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
    span.setAttributes({
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
