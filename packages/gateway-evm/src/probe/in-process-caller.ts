import { handleCall, type CallContext } from '../call-handler.ts'
import { type ProbeCaller, readProbeResponse } from './read-response.ts'

/**
 * Creates a caller that sends its calls through admission and dispatch, as if a client had sent them. A response from
 * an adapter counts as a response.
 *
 * @param context - the node and the logger
 * @param timeoutMs - timeout for a response
 */
export function createInProcessCaller(context: Omit<CallContext, 'signal'>, timeoutMs: number): ProbeCaller {
  return {
    call: async (method, params, signal) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const request = { method, params, paramsText: JSON.stringify(params), idText: '1' }
      // With a reservation, the response is buffered completely.
      const reservation = context.upstream.reserve()
      try {
        const { status, content } = await handleCall(request, { ...context, signal: limited }, reservation)
        if (typeof content !== 'string') return { problem: 'unreadable', status }
        return { ...readProbeResponse(content), status }
      } finally {
        reservation.release()
      }
    },
    close: () => Promise.resolve(),
  }
}
