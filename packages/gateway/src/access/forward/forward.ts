import type { Call } from '../call.ts'
import { callText, resultText } from '../json-rpc/rpc-text.ts'
import type { Destination } from '../route/route-method.ts'
import { answerText, type Room } from './read-answer.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'
import type { Upstream } from './upstream.ts'

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
  { adapter, method, params, paramsText }: Destination,
  upstream: Upstream,
  room?: Room,
): Promise<Forwarded> {
  const { request, signal } = call
  const { idText = '1' } = request
  const adapted = adapter?.answer(call, params, upstream)
  if (adapted) return { text: resultText(idText, JSON.stringify(await adapted)) }
  const echoed = nodesEcho(idText)
  const answer = await upstream.post(callText(method.name, paramsText, echoed ? idText : '1'), signal)
  if (!room && echoed && answer.delimited) return { answer }
  return { text: await answerText(answer, idText, room ?? upstream.room(), signal) }
}

// Other ids come back from nodes with fewer digits, as another number, or not at all.
function nodesEcho(idText: string): boolean {
  return /^(?:0|[1-9]\d{0,14}|"[\w .:-]{0,64}")$/.test(idText)
}
