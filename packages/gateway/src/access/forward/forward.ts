import type { Call } from '../call.ts'
import { callText, resultText } from '../json-rpc/rpc-text.ts'
import type { Destination } from '../route/route-method.ts'
import type { Room } from './answer-memory.ts'
import { beginsWithError } from './peek-answer.ts'
import { answerResult, answerText } from './read-answer.ts'
import { rewriteAnswer } from './rewrite-answer.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'
import { paramsText as textOf, type Upstream } from './upstream.ts'

/** An answer: its whole text, or the node's own answer, not yet read. */
export type Forwarded = { readonly text: string } | { readonly answer: UpstreamAnswer }

/**
 * Has a call answered: by its adapter where there is one that wants it, else by the node.
 *
 * The envelope is always written anew. Nodes differ in what they make of a key that comes twice or in another case, and
 * the method that was checked here has to be the one that runs there.
 *
 * @param call - the call
 * @param destination - what the router found
 * @param upstream - the node
 * @param room - when given, the answer is read whole and checked before it is passed on
 * @throws {@link RpcFailure}
 */
export async function forward(
  call: Call,
  { adapter, method: { name: method }, params, paramsText }: Destination,
  upstream: Upstream,
  room?: Room,
): Promise<Forwarded> {
  const { request, signal } = call
  const { idText = '1' } = request
  const adapted = await adapter?.answer?.(call, params, upstream)
  if (adapted !== undefined) return { text: resultText(idText, JSON.stringify(adapted)) }
  const echoed = nodesEcho(idText)
  const asked = await adapter?.ask?.(call, params, upstream)
  const askedText = asked === undefined ? paramsText : textOf(asked)
  const answer = await upstream.post(callText(method, askedText, echoed ? idText : '1'), signal)
  const held = room ?? upstream.room()
  const reading = { method, idText, room: held, signal }
  try {
    if (adapter?.mend && isWithin(answer, adapter.mendsUpTo)) {
      const mended = await adapter.mend(await answerResult(answer, reading), call, params, upstream)
      return { text: resultText(idText, JSON.stringify(mended)) }
    }
    const rewrite = adapter?.rewrite?.(params)
    const isPassedOn = !room && echoed && answer.delimited && !(await beginsWithError(answer, signal))
    if (isPassedOn) return { answer: rewrite ? rewriteAnswer(answer, rewrite) : answer }
    const text = await answerText(answer, reading)
    return { text: rewrite ? rewrite(text) : text }
  } finally {
    if (!room) held.empty()
  }
}

function isWithin({ contentLength }: UpstreamAnswer, limit: number | undefined): boolean {
  return limit === undefined || (contentLength !== undefined && Number(contentLength) <= limit)
}

// Other ids come back from nodes with fewer digits, as another number, or not at all.
function nodesEcho(idText: string): boolean {
  return /^(?:0|[1-9]\d{0,14}|"[\w .:-]{0,64}")$/.test(idText)
}
