/** What came back for one call, whatever it was. */
export interface ProbeResponse {
  /** HTTP status, when the call travelled over HTTP or the WebSocket was refused by one. */
  readonly status?: number | undefined
  /** Whether the answer holds a result. */
  readonly hasResult?: boolean
  readonly result?: unknown
  /** JSON-RPC error object; a field that is not of its kind is left out. */
  readonly error?: { readonly code: number | undefined; readonly message: string }
  /** Why there is neither a result nor an error. */
  readonly problem?: 'timeout' | 'unreachable' | 'unreadable'
  /** How long the node asks to wait before the next call, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** A way to call a node. */
export interface ProbeCaller {
  /** Calls a method once. It never rejects: what goes wrong is an answer, too. */
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<ProbeResponse>
  close(): Promise<void>
}

/** A transport that methods are called by. */
export type ProbeTransport = 'http' | 'websocket'

/** Reads the text of a JSON-RPC answer. */
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
        message: typeof message === 'string' ? message : '',
      },
    }
  }
  // Gateways in front of nodes answer refusals with a bare text in this place.
  if (typeof error === 'string') return { error: { code: undefined, message: error } }
  return result === undefined ? { problem: 'unreadable' } : { hasResult: true, result }
}
