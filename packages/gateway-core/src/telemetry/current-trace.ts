import { AsyncLocalStorage } from 'node:async_hooks'

/** Facts about a span; never what a caller wrote, nor where an upstream is. */
export type TraceFacts = Readonly<Record<string, string | number | undefined>>

/** The part of a trace that the running work belongs to. */
export interface TraceSpan {
  /** What whoever is called for it is told: the header of W3C Trace Context. */
  readonly traceparent: string
  /** Begins a part of this part. */
  begin(name: string, facts: TraceFacts): TraceSpan
  note(facts: TraceFacts): void
  /** @param failure - kind of the failure, when it was one */
  end(failure?: string): void
}

/** Begins the traces of requests. */
export interface Tracing {
  /**
   * Begins the part of a request.
   *
   * @param traceparent - header of the request, as it came
   * @returns undefined when nobody has a use for a trace of it
   */
  begin(traceparent: string | undefined, facts: TraceFacts): TraceSpan | undefined
  /** Sends what is left to send. */
  close(): Promise<void>
}

const running = new AsyncLocalStorage<TraceSpan>()

/** The part that the running work belongs to; undefined for most work, as most requests are not traced. */
export function currentTrace(): TraceSpan | undefined {
  return running.getStore()
}

/** Runs something, with all that it begins, as a part of a trace. */
export function inTrace<result>(part: TraceSpan, run: () => result): result {
  return running.run(part, run)
}

/** Runs something as a part of its own within the running one, if that is traced. */
export async function withSpan<result>(
  name: string,
  facts: TraceFacts,
  run: () => Promise<result>,
): Promise<result> {
  const part = running.getStore()?.begin(name, facts)
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

// Messages may quote what a caller wrote.
function kindOf(error: unknown): string {
  if (error instanceof Error) return 'kind' in error ? String(error.kind) : error.name
  return 'Error'
}
