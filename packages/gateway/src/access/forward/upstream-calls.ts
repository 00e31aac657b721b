import { callText } from '../json-rpc/rpc-text.ts'
import type { AnswerMemory } from './answer-memory.ts'
import { answerResult } from './read-answer.ts'
import { paramsText, type Upstream } from './upstream.ts'

/**
 * What an upstream does by posting.
 *
 * @param memory - for answers that are held whole
 */
export function upstreamCalls(
  post: Upstream['post'],
  memory: AnswerMemory,
): Pick<Upstream, 'call' | 'batch' | 'room'> {
  const call: Upstream['call'] = async (method, params, signal) => {
    const answer = await post(callText(method, paramsText(params), '1'), signal, { method, params })
    const room = memory.room()
    try {
      return await answerResult(answer, { method, room, signal })
    } finally {
      room.empty()
    }
  }
  return {
    call,
    batch: (calls, signal) => Promise.all(calls.map(([method, params]) => call(method, params, signal))),
    room: () => memory.room(),
  }
}
