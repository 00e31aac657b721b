import { createRestFetch, FairleadError, redact } from '@fairlead/core'
import type { Attempt } from '../nodes/node.ts'

/** Options for reading a body as a stream. */
export interface OpenStreamOptions {
  /** Maximum wait for the next chunk in milliseconds. Default: the timeout of the client for a whole response. */
  readonly idleMs?: number | undefined
  /** Whether the wait for the headers can be as long as `idleMs`: some nodes send no headers before the first event. */
  readonly slowHeaders?: boolean | undefined
}

/**
 * Creates an attempt that resolves at the headers of a successful response, whose body is a stream that is read on
 * demand.
 *
 * The timeout of the client applies to the headers, and to responses that are not 2xx, which are read completely. A
 * body that breaks or stays silent ends with `TRANSPORT_FAILED` or `TRANSPORT_TIMEOUT`; cancelling it frees the
 * connection.
 */
export function openStream({ idleMs, slowHeaders }: OpenStreamOptions = {}): Attempt {
  return async ({ http, secrets, onBroken }, request) => {
    const { fetch = globalThis.fetch, timeoutMs = 30_000 } = http
    const headersMs = slowHeaders && idleMs !== undefined ? Math.max(timeoutMs, Math.ceil(idleMs)) : timeoutMs
    const connection = new AbortController()
    const stop = (): void => connection.abort()
    let body: ReadableStream<Uint8Array> | null = null

    // The shared transport sends the request and classifies the response; it reads the body only of an error.
    const send = createRestFetch(
      {
        ...http,
        timeoutMs: headersMs,
        async fetch(input, init) {
          init?.signal?.addEventListener('abort', stop)
          const response = await fetch(input, { ...init, signal: connection.signal })
          if (!response.ok) return response
          init?.signal?.removeEventListener('abort', stop)
          body = response.body
          return new Response(null, response)
        },
      },
      secrets,
    )
    const response = await send(request)
    if (!body) return response
    const operation = redact(`${request.method} ${new URL(request.url).pathname}`, secrets)
    const context = { operation, attempt: 1, timeoutMs: idleMs ?? timeoutMs }
    return new Response(watch(body, connection, request.signal, context, secrets, onBroken), response)
  }
}

interface WatchContext {
  readonly operation: string
  readonly attempt: number
  /** Maximum wait for the next chunk in milliseconds. */
  readonly timeoutMs: number
}

function watch(
  body: ReadableStream<Uint8Array>,
  connection: AbortController,
  signal: AbortSignal,
  context: WatchContext,
  secrets: readonly string[],
  onBroken: (() => void) | undefined,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const stop = (): void => connection.abort()
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop)
  const removeAbortListener = (): void => signal.removeEventListener('abort', stop)
  return new ReadableStream(
    {
      async pull(controller) {
        let isTimedOut = false
        const timer = setTimeout(() => {
          isTimedOut = true
          stop()
        }, context.timeoutMs)
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          removeAbortListener()
          controller.close()
        } catch (error) {
          removeAbortListener()
          if (signal.aborted) throw signal.reason
          onBroken?.()
          const reason = isTimedOut ? 'the node fell silent' : redact((error as Error).message, secrets)
          const code = isTimedOut ? 'TRANSPORT_TIMEOUT' : 'TRANSPORT_FAILED'
          throw new FairleadError(code, { ...context, reason })
        } finally {
          clearTimeout(timer)
        }
      },
      cancel() {
        removeAbortListener()
        stop()
      },
    },
    // Reads only on demand: a slow reader slows the node down and no data is buffered.
    { highWaterMark: 0 },
  )
}
