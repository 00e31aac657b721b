import type { CancellationSignal, Tenant } from '@fairlead/runtime'
import type { ClassifiedResponse, ResponseCompletion } from '../upstream/attempt.ts'
import type { CallProgress, Decision, FailoverCallSettings } from '../upstream/failover-settings.ts'
import type { Idempotency } from '../upstream/idempotency.ts'
import type { PoolMember } from '../upstream/pool-member.ts'
import { parseRetryAfter } from '../upstream/retry-after.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { UpstreamError } from '../upstream/upstream-error.ts'
import type { RestCall, RestResponse, RestUpstream } from './rest-call.ts'

/** `busy` for HTTP 429, `failed` for 5xx, `good` for any other status. */
type RestResponseClass = 'good' | 'busy' | 'failed'

/** Pauses an upstream that has responded with HTTP 429. */
export function recordRateLimit({ rate }: Upstream, { status, headers }: RestResponse): void {
  if (status === 429) rate.recordRejection(parseRetryAfter(headers['retry-after']))
}

/** A REST call with failover between upstreams. */
export class PooledRestCall implements FailoverCallSettings<RestUpstream, RestResponse, RestResponseClass> {
  readonly tenant: Tenant | undefined
  readonly signal: CancellationSignal
  readonly latencyClass = 'long'
  readonly resending: Idempotency
  readonly slowAfterMs: number
  /** Whether an exchange has failed. */
  hasFailed = false
  readonly #call: RestCall
  readonly #onFailure: () => void
  /** The upstream that responded with 5xx, and its failure. */
  #failed: { readonly upstream: Upstream; readonly failure: UpstreamError } | undefined

  /**
   * @param timeoutMs - response timeout
   * @param onFailure - called when an upstream fails or reports an error
   */
  constructor(call: RestCall, resending: Idempotency, timeoutMs: number, onFailure: () => void) {
    this.tenant = call.tenant
    this.signal = call.signal
    this.resending = resending
    this.slowAfterMs = timeoutMs / 2
    this.#call = call
    this.#onFailure = onFailure
  }

  send(
    upstream: RestUpstream,
    signal: CancellationSignal,
    completion: ResponseCompletion<RestResponse>,
  ): void {
    // When another upstream can be called, a short response is not forwarded in part.
    const isBuffered = this.resending === 'always'
    const listener = { stalled: () => completion.stalled?.() }
    upstream.request({ ...this.#call, signal, isBuffered, listener }).then(
      (response) => completion.resolve(response),
      (error: unknown) => {
        if (!signal.aborted) {
          this.hasFailed = true
          this.#onFailure()
        }
        completion.reject(error)
      },
    )
  }

  classify({ status }: RestResponse): RestResponseClass {
    return status === 429 ? 'busy' : status >= 500 ? 'failed' : 'good'
  }

  recordResponseClass(
    member: PoolMember<RestUpstream>,
    responseClass: RestResponseClass,
    response: RestResponse,
  ): void {
    const { status } = response
    recordRateLimit(member.upstream, response)
    if (responseClass !== 'good') this.#onFailure()
    // The call itself may be the cause of a 5xx response, unless another upstream has served it.
    if (status < 400) this.#failed?.upstream.recordFailure(this.#failed.failure, this.latencyClass)
    if (responseClass === 'failed') this.#failed = { upstream: member.upstream, failure: failureOf(status) }
  }

  isHealthy(responseClass: RestResponseClass): boolean {
    return responseClass !== 'failed'
  }

  isStreaming(response: RestResponse): boolean {
    return 'body' in response && response.buffered === undefined
  }

  decide(
    { responseClass }: ClassifiedResponse<RestUpstream, RestResponse, RestResponseClass>,
    progress: CallProgress<RestUpstream>,
  ): Decision<RestResponse> {
    if (responseClass === 'good') return 'accept'
    // A call that fails at two upstreams would also fail at the third one.
    if (this.resending === 'unseen' || progress.tried.length > 1) return 'fallback'
    const next = progress.next()?.upstream
    return next && (next.isResponsive || next.mayTry('failing')) ? 'next' : 'fallback'
  }

  discard(response: RestResponse): void {
    if ('body' in response) response.body.destroy()
  }
}

function failureOf(httpStatus: number): UpstreamError {
  return new UpstreamError('http_error', `The upstream returned HTTP ${httpStatus}.`, { httpStatus })
}
