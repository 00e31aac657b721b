import { answerCall, type CallContext } from '../call-handler.ts'
import { type ProbeCaller, readProbeResponse } from './read-response.ts'

/**
 * Makes a caller that takes its calls through admission and dispatch, as if a client had sent them: what an
 * adapter answers counts as answered.
 *
 * @param context - the node, and where to log
 * @param timeoutMs - longest wait for an answer
 */
export function createInProcessCaller(context: Omit<CallContext, 'signal'>, timeoutMs: number): ProbeCaller {
  return {
    call: async (method, params, signal) => {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const request = { method, params, paramsText: JSON.stringify(params), idText: '1' }
      // With room, the answer is read whole.
      const reservation = context.upstream.reserve()
      try {
        const { status, content } = await answerCall(request, { ...context, signal: limited }, reservation)
        if (typeof content !== 'string') return { problem: 'unreadable', status }
        return { ...readProbeResponse(content), status }
      } finally {
        reservation.release()
      }
    },
    close: () => Promise.resolve(),
  }
}
