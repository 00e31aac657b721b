import { type BudgetRules, RetryBudget } from '@fairlead/gateway-core/upstream/retry-budget'
import type { ResumableStream } from '../geyser/resumable-stream.ts'

/**
 * Maximum size of the request bytes that are buffered until the upstream responds, to send them again when the upstream
 * has not begun to process the call.
 */
export const maxRetryBytes = 65_536

// How often a call may move to another upstream: five times in a row, then once every five seconds.
const failoverRules: BudgetRules = { share: 0, perSecond: 0.2, max: 5 }

/** The requests that a call has sent to its upstream, and whether they may be sent again: the policy of gRPC calls. */
export class SentRequests {
  readonly #resumable: ResumableStream | undefined
  readonly #failoverBudget = new RetryBudget(failoverRules)
  /** Undefined when they are too many, or the upstream has responded. */
  #buffered: Uint8Array[] | undefined = []
  #bytes = 0
  #isRetried = false

  /** @param resumable - state from which the call can be continued at another upstream, if it can */
  constructor(resumable: ResumableStream | undefined) {
    this.#resumable = resumable
  }

  add(bytes: Uint8Array): void {
    this.#bytes += bytes.length
    if (this.#bytes > maxRetryBytes) this.#buffered = undefined
    this.#buffered?.push(bytes)
  }

  /** Drops the requests, because the upstream has responded or the call has ended. */
  drop(): void {
    this.#buffered = undefined
  }

  /**
   * The upstream has closed the stream without beginning to process it.
   *
   * @returns the bytes to send again; undefined when they cannot be sent again
   */
  afterRefusal(): readonly Uint8Array[] | undefined {
    // Only once: a repeated rejection is final.
    if (this.#isRetried || !this.#buffered) return undefined
    // resend: unprocessed stream
    this.#isRetried = true
    return this.#buffered
  }

  /** The node no longer has the upstream, which has not responded. Returns as {@link afterRefusal}. */
  afterMove(): readonly Uint8Array[] | undefined {
    // resend: changed upstreams
    return this.#buffered ?? this.#resumed()
  }

  /** The upstream has ended a stream that it had begun, or the node no longer has it. Returns as {@link afterRefusal}. */
  afterFailure(): readonly Uint8Array[] | undefined {
    if (!this.#resumable || !this.#failoverBudget.spend()) return undefined
    // resend: interrupted subscription
    // The client may not have sent a request yet.
    return this.#bytes === 0 ? [] : this.#resumed()
  }

  #resumed(): readonly Uint8Array[] | undefined {
    const bytes = this.#resumable?.resume()
    return bytes && [bytes]
  }
}
