import type { TraceSpan, Tracing } from './current-trace.ts'

const form = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/**
 * Records no spans, but forwards the trace context of a client, so that the traces of the client and of the upstream
 * stay connected.
 *
 * @see W3C Trace Context, section 4.3
 */
export const passThroughTracing: Tracing = {
  begin: (traceparent) => {
    if (traceparent === undefined || !form.test(traceparent)) return undefined
    const part: TraceSpan = {
      traceparent,
      begin: () => part,
      setAttributes: () => undefined,
      end: () => undefined,
    }
    return part
  },
  close: () => Promise.resolve(),
}
