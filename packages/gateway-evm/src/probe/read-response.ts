/** Outcome of one call. */
export interface ProbeResponse {
  /** HTTP status, for a call over HTTP or a rejected WebSocket handshake. */
  readonly status?: number | undefined
  /** Whether the response has a result. */
  readonly hasResult?: boolean
  readonly result?: unknown
  /** JSON-RPC error object. A field of the wrong type is omitted. */
  readonly error?: { readonly code: number | undefined; readonly message: string }
  /** Reason for a missing result and error. */
  readonly problem?: 'timeout' | 'unreachable' | 'unreadable'
  /** Delay that the upstream requests before the next call, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** Calls an upstream over one transport. */
export interface ProbeCaller {
  /** Calls a method once. Never rejects: a failure is also returned as a response. */
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<ProbeResponse>
  close(): Promise<void>
}

/** Transport of a call. */
export type ProbeTransport = 'http' | 'websocket'

// Messages are searched for wordings. The search time of some grows with the square of the length.
const maxMessageLength = 1_000

/** Parses the text of a JSON-RPC response. */
export function readProbeResponse(text: string): ProbeResponse {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { problem: 'unreadable' }
  }
  if (typeof value !== 'object' || value === null) return { problem: 'unreadable' }
  const { result, error } = value as { result?: unknown; error?: unknown }
  if (typeof error === 'object' && error !== null) {
    const { code, message } = error as { code?: unknown; message?: unknown }
    return {
      error: {
        code: typeof code === 'number' && Number.isSafeInteger(code) ? code : undefined,
        message: typeof message === 'string' ? message.slice(0, maxMessageLength) : '',
      },
    }
  }
  // Some proxies return an error as a plain string.
  if (typeof error === 'string')
    return { error: { code: undefined, message: error.slice(0, maxMessageLength) } }
  return result === undefined ? { problem: 'unreadable' } : { hasResult: true, result }
}
