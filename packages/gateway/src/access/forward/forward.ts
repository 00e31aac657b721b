import type { Call } from '../call.ts'
import { errorObjectText, resultText } from '../json-rpc/rpc-text.ts'
import type { Destination } from '../route/route-method.ts'
import { askNode, nodesEcho } from './ask-node.ts'
import type { Answers } from './answers.ts'
import type { Room } from './answer-memory.ts'
import type { Asked } from './asked.ts'
import { askPinned } from './consistency/pinned-call.ts'
import { asksForHead, steadyHead } from './consistency/steady-head.ts'
import { answerText } from './read-answer.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'
import type { Upstream } from './upstream.ts'

/** An answer: its whole text, or the node's own answer, not yet read. */
export type Forwarded = { readonly text: string } | { readonly answer: UpstreamAnswer }

/**
 * Has a call answered: by what is remembered, by its adapter where there is one that wants it, else by the node.
 *
 * @param call - the call
 * @param destination - what the router found
 * @param upstream - the node
 * @param room - when given, the answer is read whole and checked before it is passed on
 * @throws {@link RpcFailure}
 */
export async function forward(
  call: Call,
  destination: Destination,
  upstream: Upstream,
  room?: Room,
): Promise<Forwarded> {
  const { request, signal } = call
  const { idText = '1' } = request
  const asked = await answered(call, destination, upstream)
  if ('answer' in asked) {
    if (!room && nodesEcho(idText) && asked.answer.delimited) return asked
    const held = room ?? upstream.room()
    try {
      return {
        text: await answerText(asked.answer, { method: destination.method.name, idText, room: held, signal }),
      }
    } finally {
      if (!room) held.empty()
    }
  }
  const text = 'error' in asked ? errorObjectText(idText, asked.error) : resultText(idText, asked.result)
  room?.take(text.length)
  return { text }
}

async function answered(call: Call, destination: Destination, upstream: Upstream): Promise<Asked> {
  const { answers } = call
  if (!answers) return askNode(call, destination, upstream)
  const latest = await call.latest?.()
  const ask = (one: Destination, atLeast?: number) => remembered({ call, answers, upstream }, one, atLeast)
  return latest === undefined ? ask(destination) : askPinned({ latest, destination, upstream, ask })
}

/** What all ways to answer a call have in common. */
interface Asking {
  readonly call: Call
  readonly answers: Answers
  readonly upstream: Upstream
}

async function remembered(
  { call, answers, upstream }: Asking,
  destination: Destination,
  atLeast?: number,
): Promise<Asked> {
  const memory = answers.of(upstream, call.grant)
  const asked = await memory.answers.answer(call, destination, (signal) =>
    askNode({ ...call, signal }, destination, upstream, atLeast),
  )
  if (!asksForHead(destination)) return asked
  const ask = (again: Destination, floor: number) => askNode(call, again, upstream, floor)
  return steadyHead(call, destination, asked, { answers, upstream, ask })
}
