import { promised } from '@fairlead/runtime'
import { callText, stringifyParams } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { readResult } from './read-response.ts'
import type { Upstream } from './types.ts'

/**
 * Derives the other methods of an upstream from `send`.
 *
 * @param memory - budget for buffered responses
 */
export function upstreamCalls(
  send: Upstream['send'],
  memory: MemoryLedger,
): Pick<Upstream, 'post' | 'call' | 'batch' | 'reserve'> {
  const post: Upstream['post'] = (body, signal, info) =>
    promised((completion) => send(body, signal, info, completion))
  const call: Upstream['call'] = async (method, params, signal) => {
    const response = await post(callText(method, stringifyParams(params), '1'), signal, { method, params })
    const reservation = memory.reserve(undefined, 'response')
    try {
      return await readResult(response, { method, reservation, signal })
    } finally {
      reservation.release()
    }
  }
  return {
    post,
    call,
    batch: (calls, signal) => Promise.all(calls.map(([method, params]) => call(method, params, signal))),
    reserve: (owner) => memory.reserve(owner, 'response'),
  }
}
