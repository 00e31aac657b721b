import { FairleadError, isRetryableStatus } from './error.ts'
import { pause } from './pause.ts'
import { redact } from './redact.ts'

/** Limits of a single call. */
export interface CallOptions {
  /** Ends the call; the abort reason is thrown unchanged. */
  readonly signal?: AbortSignal | undefined
  /** Limit of one attempt in milliseconds, body included. */
  readonly timeoutMs?: number | undefined
}

/** Settings shared by every client that speaks HTTP. */
export interface HttpOptions {
  /** Replaces the runtime's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Limit of one attempt in milliseconds, body included. Default 30000. */
  readonly timeoutMs?: number | undefined
  /** How often an idempotent call is sent again. Default 2. */
  readonly retries?: number | undefined
}

/** One HTTP call as the transport sees it. */
export interface HttpCall extends CallOptions {
  /** Name for error messages: an operation id or a JSON-RPC method. */
  readonly operation: string
  readonly url: string | Request
  readonly init?: RequestInit | undefined
  /** Only an idempotent call is ever sent twice. */
  readonly idempotent: boolean
}

/** Sends a call and reads its answer; both count against the timeout and both are tried again. */
export type HttpTransport = <answer>(
  call: HttpCall,
  read: (response: Response) => Promise<answer>,
) => Promise<answer>

// A server may ask for a pause; one beyond this is not waited out but handed to the caller as the answer it is.
const longestPauseMs = 60_000

/**
 * Makes the transport that all clients share: `fetch` with a timeout per attempt, and retries with full jitter.
 *
 * An answer of any status reaches `read`; statuses that may pass are retried first, as long as the call is idempotent.
 * Redirects are not followed, as they could carry a token to another place; they are answers like any other.
 *
 * @param options - `fetch`, `timeoutMs` and `retries`
 * @param secrets - texts that must not reach an error message
 * @returns a function that sends one call; it throws {@link FairleadError} `TRANSPORT_TIMEOUT` or `TRANSPORT_FAILED`
 * @example
 * ```ts
 * const send = createHttpTransport({ timeoutMs: 5_000 }, [])
 * const text = await send({ operation: 'health', url, idempotent: true }, (response) => response.text())
 * ```
 * @see RFC 9110, section 10.2.3 (Retry-After)
 */
export function createHttpTransport(options: HttpOptions, secrets: readonly string[]): HttpTransport {
  const { fetch = globalThis.fetch, retries = 2 } = options
  return async (
    { operation, url, init, idempotent, signal, timeoutMs = options.timeoutMs ?? 30_000 },
    read,
  ) => {
    for (let attempt = 1; ; attempt++) {
      // Written so that a number which is none means no further attempt instead of endless ones.
      const last = !idempotent || !(attempt <= retries)
      let pauseMs = Math.random() * Math.min(5_000, 100 * 2 ** attempt)
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        signal?.throwIfAborted()
        const response = await fetch(url, {
          ...init,
          redirect: 'manual',
          // Some edge runtimes cannot join signals; there an abort takes effect with the end of the attempt.
          signal: AbortSignal.any?.([signal || timeout, timeout]) || timeout,
        })
        // A number of seconds or a date; anything else leaves the pause as it is.
        const after = response.headers.get('retry-after')
        if (after) pauseMs = Number(after) * 1_000 || Date.parse(after) - Date.now() || pauseMs
        if (last || pauseMs > longestPauseMs || !isRetryableStatus(response.status))
          return await read(response)
        await response.body?.cancel()
      } catch (error) {
        signal?.throwIfAborted()
        if (last) {
          const context = { operation, attempt, timeoutMs, reason: reasonOf(error, secrets) }
          throw new FairleadError(timeout.aborted ? 'TRANSPORT_TIMEOUT' : 'TRANSPORT_FAILED', context)
        }
      }
      await pause(pauseMs, signal)
    }
  }
}

// The runtime's error is not kept as `cause`: its message and stack may hold the URL, and with it the token.
function reasonOf(error: unknown, secrets: readonly string[]): string {
  const { message, cause } = error as { message: string; cause?: { code?: string } }
  return redact(`${message} ${cause?.code ?? ''}`, secrets)
}
