import type { TraceSpan, Tracing } from './current-trace.ts'

const form = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/**
 * Tells nobody of requests, but passes on the trace that a client belongs to, so that it and the node still find one
 * another.
 *
 * @see W3C Trace Context, section 4.3
 */
export const passThroughTracing: Tracing = {
  begin: (traceparent) => {
    if (traceparent === undefined || !form.test(traceparent)) return undefined
    const part: TraceSpan = {
      traceparent,
      begin: () => part,
      note: () => undefined,
      end: () => undefined,
    }
    return part
  },
  close: () => Promise.resolve(),
}
