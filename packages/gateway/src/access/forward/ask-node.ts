import type { Call } from '../call.ts'
import { callText } from '../json-rpc/rpc-text.ts'
import type { Destination } from '../route/route-method.ts'
import type { PartAsking } from './adapters/adapter.ts'
import type { Room } from './answer-memory.ts'
import type { Asked } from './asked.ts'
import { beginsWithError } from './peek-answer.ts'
import { answerResult, type PlainAnswer, plainAnswer, readAnswer } from './read-answer.ts'
import { rewriteAnswer } from './rewrite-answer.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'
import { paramsText as textOf, type Upstream } from './upstream.ts'

/**
 * Has a call answered by its adapter where there is one that wants it, else by the node.
 *
 * The envelope is always written anew. Nodes differ in what they make of a key that comes twice or in another case, and
 * the method that was checked here has to be the one that runs there.
 *
 * @param call - the call
 * @param destination - what the router found
 * @param upstream - the node
 * @param atLeast - number of a block that the answering node has to have
 * @returns the node's own answer only when it begins like a result
 * @throws {@link RpcFailure}
 */
export async function askNode(
  call: Call,
  destination: Destination,
  upstream: Upstream,
  atLeast?: number,
): Promise<Asked> {
  const { adapter, params } = destination
  const adapted = await adapter?.answer?.(call, params, upstream)
  if (adapted !== undefined) return { result: JSON.stringify(adapted) }
  const asked = await adapter?.ask?.(call, params, upstream)
  const question =
    asked === undefined ? destination : { ...destination, params: asked, paramsText: textOf(asked) }
  if (!adapter?.gather) return post(call, question, upstream, atLeast)
  const room = upstream.room()
  try {
    const whole = () => post(call, question, upstream, atLeast)
    const part = partsOf(call, question, upstream, room)
    return (await adapter.gather(call, question.params, { upstream, room, whole, part })) ?? (await whole())
  } finally {
    room.empty()
  }
}

/** Asks for parts, each of which may be kept. */
function partsOf(call: Call, destination: Destination, upstream: Upstream, room: Room): PartAsking['part'] {
  return async (params, atLeast) => {
    const part = { ...destination, adapter: undefined, params, paramsText: textOf(params) }
    const ask = (signal: AbortSignal) => post({ ...call, signal }, part, upstream, atLeast)
    const memory = call.answers?.of(upstream, call.grant)
    const asked = await (memory ? memory.answers.part(call, part, ask) : ask(call.signal))
    return 'answer' in asked ? plainOf(asked.answer, part.method.name, room, call.signal) : asked
  }
}

async function post(
  call: Call,
  { adapter, method: { name: method }, params, paramsText }: Destination,
  upstream: Upstream,
  atLeast?: number,
): Promise<Asked> {
  const { signal, request } = call
  const { idText = '1' } = request
  const body = callText(method, paramsText, nodesEcho(idText) ? idText : '1')
  const answer = await upstream.post(body, signal, { method, params, atLeast })
  const held = upstream.room()
  try {
    if (adapter?.mend && isWithin(answer, adapter.mendsUpTo)) {
      const result = await answerResult(answer, { method, room: held, signal })
      return { result: JSON.stringify(await adapter.mend(result, call, params, upstream)) }
    }
    if (await beginsWithError(answer, signal)) return await plainOf(answer, method, held, signal)
    const rewrite = adapter?.rewrite?.(params)
    return { answer: rewrite ? rewriteAnswer(answer, rewrite) : answer }
  } finally {
    held.empty()
  }
}

async function plainOf(
  answer: UpstreamAnswer,
  method: string,
  room: Room,
  signal: AbortSignal,
): Promise<PlainAnswer> {
  return plainAnswer(await readAnswer(answer, room, signal), method, answer.secrets)
}

function isWithin({ contentLength }: UpstreamAnswer, limit: number | undefined): boolean {
  return limit === undefined || (contentLength !== undefined && Number(contentLength) <= limit)
}

/** Whether nodes give an id back as it is; others come back with fewer digits, as another number, or not at all. */
export function nodesEcho(idText: string): boolean {
  return /^(?:0|[1-9]\d{0,14}|"[\w .:-]{0,64}")$/.test(idText)
}
