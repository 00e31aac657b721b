import { type Awaiter, promised, tell } from '@fairlead/gateway-core/completion'
import type { Call } from '../rpc-call.ts'
import { errorObjectText, resultText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { Destination } from '../methods/resolve-method.ts'
import { askNode, nodesEcho } from './send-to-upstream.ts'
import type { Answers } from '../cache/caches.ts'
import type { Room } from '@fairlead/gateway-core/memory/memory-budget'
import type { Asked } from './asked.ts'
import type { Ask } from '../cache/request-coalescer.ts'
import { askPinned, type PinnedCall } from '../consistency/block-pinned-call.ts'
import { asksForHead, steadyHead } from '../consistency/monotonic-reads.ts'
import { answerText, type PlainAnswer, resultAtHand } from './read-response.ts'
import type { UpstreamAnswer } from '../upstream/upstream-response.ts'
import type { Upstream } from '../upstream/types.ts'

/** An answer: its whole text, or the node's own answer, not yet read. */
export type Forwarded = { readonly text: string } | { readonly answer: UpstreamAnswer }

/** {@link beginForward} for whoever would rather have a promise. */
export function forward(
  call: Call,
  destination: Destination,
  upstream: Upstream,
  room?: Room,
): Promise<Forwarded> {
  return promised((awaiter) => beginForward(call, destination, upstream, awaiter, room))
}

/**
 * Has a call answered: by what is remembered, by its adapter where there is one that wants it, else by the node.
 *
 * @param call - the call
 * @param destination - what the router found
 * @param upstream - the node
 * @param awaiter - hears the answer, or {@link RpcFailure}
 * @param room - when given, the answer is read whole and checked before it is passed on
 */
export function beginForward(
  call: Call,
  destination: Destination,
  upstream: Upstream,
  awaiter: Awaiter<Forwarded>,
  room?: Room,
): void {
  const { idText = '1' } = call.request
  answered(call, destination, upstream, {
    resolve: (asked) => {
      const text = 'answer' in asked ? room && resultAtHand(asked.answer, idText) : plainText(asked, idText)
      if (text !== undefined) {
        const failure = room?.refuses(text.length)
        if (failure) awaiter.reject(failure)
        else awaiter.resolve({ text })
      } else if ('answer' in asked) {
        if (!room && asked.answer.delimited && nodesEcho(idText)) awaiter.resolve(asked)
        else tell(underId(asked.answer, { call, destination, upstream }, room), awaiter)
      }
    },
    reject: (error) => awaiter.reject(error),
  })
}

function plainText(asked: PlainAnswer, idText: string): string {
  return 'error' in asked ? errorObjectText(idText, asked.error) : resultText(idText, asked.result)
}

/** Reads an answer whole, and puts it under the id of its call. */
async function underId(
  answer: UpstreamAnswer,
  { call, destination, upstream }: Omit<Asking, 'answers'> & { readonly destination: Destination },
  room: Room | undefined,
): Promise<Forwarded> {
  const { signal, request } = call
  const { idText = '1' } = request
  const held = room ?? upstream.room(call.grant.credentialId)
  try {
    const method = destination.method.name
    return { text: await answerText(answer, { method, idText, room: held, signal }) }
  } finally {
    if (!room) held.empty()
  }
}

function answered(call: Call, destination: Destination, upstream: Upstream, awaiter: Awaiter<Asked>): void {
  const { answers, latest } = call
  if (!answers) askNode(call, destination, upstream, undefined, awaiter)
  else if (latest) ofBatch({ call, answers, upstream }, destination, latest, awaiter)
  else remembered({ call, answers, upstream }, destination, undefined, awaiter)
}

/** Has a call answered for which another one of its batch may have read the newest block. */
function ofBatch(
  asking: Asking,
  destination: Destination,
  latestOf: NonNullable<Call['latest']>,
  awaiter: Awaiter<Asked>,
): void {
  // Whoever began the call does not wait here any more, so nobody would catch what is thrown.
  const ask: PinnedCall['ask'] = (one, atLeast, asker) => {
    try {
      remembered(asking, one, atLeast, asker)
    } catch (error) {
      asker.reject(error)
    }
  }
  const { upstream } = asking
  tell(latestOf(), {
    resolve: (latest) => {
      if (latest === undefined) ask(destination, undefined, awaiter)
      else askPinned({ latest, destination, upstream, ask }, awaiter)
    },
    reject: (error) => awaiter.reject(error),
  })
}

/** What all ways to answer a call have in common. */
interface Asking {
  readonly call: Call
  readonly answers: Answers
  readonly upstream: Upstream
}

function remembered(
  { call, answers, upstream }: Asking,
  destination: Destination,
  atLeast: number | undefined,
  awaiter: Awaiter<Asked>,
): void {
  const memory = answers.of(upstream, call.grant)
  const ask: Ask = (signal, asker) =>
    askNode(signal === call.signal ? call : { ...call, signal }, destination, upstream, atLeast, asker)
  if (!asksForHead(destination)) return memory.answers.answer(call, destination, ask, awaiter)
  memory.answers.answer(call, destination, ask, {
    resolve: (asked) => {
      const again = (one: Destination, floor: number) =>
        promised<Asked>((asker) => askNode(call, one, upstream, floor, asker))
      steadyHead(call, destination, asked, { answers, upstream, ask: again }, awaiter)
    },
    reject: (error) => awaiter.reject(error),
  })
}
