import type { CancellationSignal } from '@fairlead/http1'
import type { Grant } from '../grants/grant.ts'

/** Who calls, as far as rules look at it. */
export interface Requester {
  /** Address of the client, behind trusted proxies the one that they name. */
  readonly address: string
  /** Value of the header `origin`. */
  readonly origin: string | undefined
}

/** Why something may not pass; every protocol writes it in its own shape. */
export interface Rejection {
  /** HTTP status that says the same. */
  readonly status: 401 | 403 | 404 | 429 | 503 | 508
  /** Shown to the caller: which rule or limit it was, never what it allows others. */
  readonly reason: string
  readonly data?: RejectionData | undefined
  /** Whole seconds, 1 to 60. */
  readonly retryAfterSeconds?: number | undefined
}

/** What a program reads of a refusal. */
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

/** The leave to make one call. */
export interface Permit {
  /** Gives the place back; to be called once, when the call has been answered or given up. */
  release(): void
}

/** Tells the two answers of {@link Admission.admit} apart. */
export function isRejection(answer: Permit | Rejection): answer is Rejection {
  return 'status' in answer
}

/** Decides who may do what, how much of it, and when. It asks memory only. */
export interface Admission {
  /** Whether a requester may use a protocol of a node at all: once for a request, a connection or a stream. */
  checkRequester(grant: Grant, protocol: string, requester: Requester): Rejection | undefined
  /**
   * Takes a call against the rules for methods, the rates and quotas of credential, node and project, and the places for
   * calls. It answers at once but for a call that waits for a place.
   *
   * @param method - of the contract or as the caller named it, `package.Service/Method` for gRPC
   * @param signal - ends the waiting
   */
  admit(
    grant: Grant,
    method: string,
    signal: CancellationSignal,
  ): Permit | Rejection | Promise<Permit | Rejection>
  /** As {@link admit} for what stays open for as long as the client likes: it takes no place among the calls. */
  admitStream(grant: Grant, method: string): Rejection | undefined
  /**
   * Counts messages that are pushed to a client. They are never held back.
   *
   * @returns why what pushes them has to end: a quota is used up
   */
  push(grant: Grant, messages: number): Rejection | undefined
}
