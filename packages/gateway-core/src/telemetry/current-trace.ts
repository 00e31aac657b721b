import { AsyncLocalStorage } from 'node:async_hooks'

/** Attributes of a span. They never contain text of a caller or the URL of an upstream. */
export type TraceAttributes = Readonly<Record<string, string | number | undefined>>

/** The span of the current operation. */
export interface TraceSpan {
  /** The W3C Trace Context header for requests within the span. */
  readonly traceparent: string
  /** Begins a child span. */
  begin(name: string, attributes: TraceAttributes): TraceSpan
  setAttributes(attributes: TraceAttributes): void
  /** @param failure - kind of the failure, when it was one */
  end(failure?: string): void
}

/** Starts the spans of requests. */
export interface Tracing {
  /**
   * Starts the span of a request.
   *
   * @param traceparent - header of the request, unchanged
   * @returns undefined when the request is not traced
   */
  begin(traceparent: string | undefined, attributes: TraceAttributes): TraceSpan | undefined
  /** Sends the remaining spans. */
  close(): Promise<void>
}

const running = new AsyncLocalStorage<TraceSpan>()

/** The span of the current operation; undefined for most operations, because most requests are not traced. */
export function currentTrace(): TraceSpan | undefined {
  return running.getStore()
}

/** Runs a function, and all operations that it starts, within a span. */
export function inTrace<result>(part: TraceSpan, run: () => result): result {
  return running.run(part, run)
}

/** Runs a function in a child span of the current span, if there is one. */
export async function withSpan<result>(
  name: string,
  attributes: TraceAttributes,
  run: () => Promise<result>,
): Promise<result> {
  const part = running.getStore()?.begin(name, attributes)
  if (!part) return run()
  try {
    const result = await running.run(part, run)
    part.end()
    return result
  } catch (error) {
    part.end(kindOf(error))
    throw error
  }
}

// Only the kind: messages may quote text of a caller.
function kindOf(error: unknown): string {
  if (error instanceof Error) return 'kind' in error ? String(error.kind) : error.name
  return 'Error'
}
