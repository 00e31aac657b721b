import { promised } from '@fairlead/gateway-core/completion'
import { callText, stringifyParams } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { AnswerMemory } from '@fairlead/gateway-core/memory/memory-budget'
import { answerResult } from '../dispatch/read-response.ts'
import type { Upstream } from './types.ts'

/**
 * What an upstream does by asking.
 *
 * @param memory - for answers that are held whole
 */
export function upstreamCalls(
  ask: Upstream['ask'],
  memory: AnswerMemory,
): Pick<Upstream, 'post' | 'call' | 'batch' | 'room'> {
  const post: Upstream['post'] = (body, signal, asked) =>
    promised((awaiter) => ask(body, signal, asked, awaiter))
  const call: Upstream['call'] = async (method, params, signal) => {
    const answer = await post(callText(method, stringifyParams(params), '1'), signal, { method, params })
    const room = memory.room()
    try {
      return await answerResult(answer, { method, room, signal })
    } finally {
      room.empty()
    }
  }
  return {
    post,
    call,
    batch: (calls, signal) => Promise.all(calls.map(([method, params]) => call(method, params, signal))),
    room: (owner) => memory.room(owner),
  }
}
