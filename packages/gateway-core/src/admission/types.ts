import type { CancellationSignal } from '@fairlead/runtime'
import type { Grant } from '../grants/grant.ts'
import type { CallCost } from '../usage/units.ts'

/** The caller, as access rules evaluate it. */
export interface Requester {
  /** IP address of the client; behind trusted proxies, the address that they report. */
  readonly address: string
  /** Value of the header `origin`. */
  readonly origin: string | undefined
}

/** The reason of a rejection; every protocol encodes it in its own format. */
export interface Rejection {
  /** Corresponding HTTP status. */
  readonly status: 401 | 403 | 404 | 429 | 503 | 508
  /** Shown to the caller. Names the rule or limit, never what it allows others. */
  readonly reason: string
  readonly data?: RejectionData | undefined
  /** Whole seconds, 1 to 60. */
  readonly retryAfterSeconds?: number | undefined
}

/** Machine-readable details of a rejection. */
export type RejectionData =
  | { readonly rule: 'origin' | 'ip' | 'method' }
  | {
      readonly reason: 'rate'
      readonly limit: number
      readonly window_ms: number
      readonly retry_after_ms: number
    }
  | { readonly reason: 'quota'; readonly resets_at: string }
  | { readonly reason: 'busy'; readonly retry_after_ms: number }

/** The permission to make one call. */
export interface Permit {
  /** Releases the concurrency slot. Must be called once, when the call has completed or was cancelled. */
  release(): void
}

/** Distinguishes the two results of {@link Admission.admit}. */
export function isRejection(decision: Permit | Rejection): decision is Rejection {
  return 'status' in decision
}

/** Authorizes requests and enforces limits. It uses only data in memory. */
export interface Admission {
  /** Checks whether a requester may use a protocol of a node. Called once for a request, a connection or a stream. */
  checkRequester(grant: Grant, protocol: string, requester: Requester): Rejection | undefined
  /**
   * Checks a call against the rules for methods, the rates and quotas of credential, node and project, and the
   * concurrency limits. Returns synchronously, except for a call that waits for a concurrency slot.
   *
   * @param method - the method of the contract or as sent by the caller; `package.Service/Method` for gRPC
   * @param cost - of the method; an overloaded gateway rejects expensive calls first
   * @param signal - ends the waiting
   */
  admit(
    grant: Grant,
    method: string,
    cost: CallCost,
    signal: CancellationSignal,
  ): Permit | Rejection | Promise<Permit | Rejection>
  /** Same as {@link admit}, for long-lived streams: they occupy no concurrency slot. */
  admitStream(grant: Grant, method: string, cost: CallCost): Rejection | undefined
  /**
   * Counts messages that are sent to a client. It never delays them.
   *
   * @returns why the stream has to end: quota exceeded
   */
  push(grant: Grant, messages: number): Rejection | undefined
}
