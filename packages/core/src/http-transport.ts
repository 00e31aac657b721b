import { FairleadError } from './error.ts'
import { isRetryableStatus } from './retryable.ts'
import { pause } from './pause.ts'
import { redact } from './redact.ts'

/** Limits of a single call. */
export interface CallOptions {
  /** Cancels the call; the abort reason is thrown unchanged. */
  readonly signal?: AbortSignal | undefined
  /** Timeout of one attempt in milliseconds, body included. */
  readonly timeoutMs?: number | undefined
}

/** Options of every HTTP client. */
export interface HttpOptions {
  /** Replaces the runtime's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Timeout of one attempt in milliseconds, body included. Default 30000. */
  readonly timeoutMs?: number | undefined
  /** Maximum number of retries of an idempotent call. Default 2. */
  readonly retries?: number | undefined
}

/** One HTTP call of the transport. */
export interface HttpCall extends CallOptions {
  /** Name for error messages: an operation id or a JSON-RPC method. */
  readonly operation: string
  readonly url: string | Request
  readonly init?: RequestInit | undefined
  /** Only an idempotent call is retried. */
  readonly idempotent: boolean
}

/** Sends a call and reads its response. The timeout and the retries cover both. */
export type HttpTransport = <answer>(
  call: HttpCall,
  read: (response: Response) => Promise<answer>,
) => Promise<answer>

interface FetchError extends Error {
  readonly cause?: { readonly code?: string | undefined } | undefined
}

// A server can request a delay. If the delay exceeds this limit, the caller gets the response instead of a retry.
const longestPauseMs = 60_000

/**
 * Creates the transport that all clients share: `fetch` with a timeout per attempt, and retries with full jitter.
 *
 * `read` receives a response of any status; temporary statuses of an idempotent call are retried first. Redirects are
 * not followed, because they could send a token to another host. `read` receives them like any other response.
 *
 * @param options - `fetch`, `timeoutMs` and `retries`
 * @param secrets - texts that must not appear in an error message
 * @returns a function that sends one call; it throws {@link FairleadError} `TRANSPORT_TIMEOUT` or `TRANSPORT_FAILED`
 * @example
 * ```ts
 * const send = createHttpTransport({ timeoutMs: 5_000 }, [])
 * const text = await send({ operation: 'health', url, idempotent: true }, (response) => response.text())
 * ```
 * @see RFC 9110, section 10.2.3 (Retry-After)
 */
export function createHttpTransport(
  { fetch = globalThis.fetch, retries = 2, timeoutMs: defaultMs = 30_000 }: HttpOptions,
  secrets: readonly string[],
): HttpTransport {
  return async ({ operation, url, init, idempotent, signal, timeoutMs = defaultMs }, read) => {
    for (let attempt = 1; ; attempt++) {
      // In this form NaN means no further attempt instead of endless ones.
      const last = !(idempotent && attempt <= retries)
      let pauseMs = Math.random() * Math.min(5_000, 100 * 2 ** attempt)
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        signal?.throwIfAborted()
        const response = await fetch(url, {
          ...init,
          redirect: 'manual',
          // Some edge runtimes do not support `AbortSignal.any`. There an abort takes effect at the end of the attempt.
          signal: AbortSignal.any?.([signal || timeout, timeout]) || timeout,
        })
        // A number of seconds or a date; any other value, and none, leaves the delay unchanged.
        const after = response.headers.get('retry-after') as string
        pauseMs = Number(after) * 1_000 || Date.parse(after) - Date.now() || pauseMs
        if (last || pauseMs > longestPauseMs || !isRetryableStatus(response.status))
          return await read(response)
        await response.body?.cancel()
      } catch (error) {
        signal?.throwIfAborted()
        if (last) {
          // The runtime's error is not set as `cause`: its message and stack may contain the URL, and with it the token.
          const { message, cause } = error as FetchError
          throw new FairleadError(timeout.aborted ? 'TRANSPORT_TIMEOUT' : 'TRANSPORT_FAILED', {
            operation,
            attempt,
            timeoutMs,
            reason: redact(`${message} ${cause?.code ?? ''}`, secrets),
          })
        }
      }
      await pause(pauseMs, signal)
    }
  }
}
