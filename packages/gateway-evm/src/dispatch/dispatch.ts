import { type Completion, promised, settleWith } from '@fairlead/gateway-core/completion'
import type { Call } from '../rpc-call.ts'
import { errorObjectText, resultText } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { ResolvedMethod } from '../methods/resolve-method.ts'
import { sendToUpstream, nodesEcho } from '../adapters/send-to-upstream.ts'
import type { ResponseCaches } from '../cache/caches.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-budget'
import { OutgoingCall } from '../adapters/outgoing-call.ts'
import { sendPinned, type PinnedCall } from '../consistency/block-pinned-call.ts'
import { asksForHead, monotonicReads } from '../consistency/monotonic-reads.ts'
import { readUnderId, tryPassThrough } from '../upstream/read-response.ts'
import type { RpcResponse } from '../rpc-response.ts'
import { isUpstreamResponse, type UpstreamResponse } from '../upstream/upstream-response.ts'
import type { Upstream } from '../upstream/types.ts'

/** As {@link beginDispatch}, with a promise in place of the callback. */
export function dispatch(
  call: Call,
  destination: ResolvedMethod,
  upstream: Upstream,
  reservation?: Reservation,
): Promise<string | UpstreamResponse> {
  return promised((completion) => beginDispatch(call, destination, upstream, completion, reservation))
}

/**
 * Responds to a call from the cache, through the method's adapter, or from the upstream.
 *
 * @param call - the call
 * @param destination - the resolved method
 * @param upstream - receives the call
 * @param completion - receives the full text of the response, or the unread response of the upstream; or an error that
 * `toRpcError` maps
 * @param reservation - when given, the response is buffered completely and checked before it is passed on
 */
export function beginDispatch(
  call: Call,
  destination: ResolvedMethod,
  upstream: Upstream,
  completion: Completion<string | UpstreamResponse>,
  reservation?: Reservation,
): void {
  const { idText = '1' } = call.request
  answered(call, destination, upstream, {
    resolve: (asked) => {
      const isUnread = isUpstreamResponse(asked)
      const text = isUnread ? reservation && tryPassThrough(asked, idText) : plainText(asked, idText)
      if (text !== undefined) {
        const failure = reservation?.tryTake(text.length)
        if (failure) completion.reject(failure)
        else completion.resolve(text)
      } else if (isUnread) {
        if (!reservation && asked.delimited && nodesEcho(idText)) completion.resolve(asked)
        else settleWith(underId(asked, { call, destination, upstream }, reservation), completion)
      }
    },
    reject: (error) => completion.reject(error),
  })
}

function plainText(asked: RpcResponse, idText: string): string {
  return 'error' in asked ? errorObjectText(idText, asked.error) : resultText(idText, asked.result)
}

/** Buffers a response completely and replaces its id with the id of the call. */
async function underId(
  answer: UpstreamResponse,
  { call, destination, upstream }: Omit<Asking, 'answers'> & { readonly destination: ResolvedMethod },
  reservation: Reservation | undefined,
): Promise<string> {
  const { signal, request } = call
  const { idText = '1' } = request
  const held = reservation ?? upstream.reserve(call.grant.credentialId)
  try {
    const method = destination.method.name
    return await readUnderId(answer, { method, idText, reservation: held, signal })
  } finally {
    if (!reservation) held.release()
  }
}

function answered(
  call: Call,
  destination: ResolvedMethod,
  upstream: Upstream,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { answers, latest } = call
  if (!answers) sendToUpstream(call, destination, upstream, undefined, completion)
  else if (latest) ofBatch({ call, answers, upstream }, destination, latest, completion)
  else remembered({ call, answers, upstream }, destination, undefined, completion)
}

/** Responds to a call of a batch in which another call may have read the latest block. */
function ofBatch(
  asking: Asking,
  destination: ResolvedMethod,
  latestOf: NonNullable<Call['latest']>,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  // The caller that began the call no longer waits here, so a thrown error would not be caught.
  const ask: PinnedCall['ask'] = (one, minBlock, asker) => {
    try {
      remembered(asking, one, minBlock, asker)
    } catch (error) {
      asker.reject(error)
    }
  }
  const { upstream } = asking
  settleWith(latestOf(), {
    resolve: (latest) => {
      if (latest === undefined) ask(destination, undefined, completion)
      else sendPinned({ latest, destination, upstream, ask }, completion)
    },
    reject: (error) => completion.reject(error),
  })
}

/** Context shared by all ways to respond to a call. */
interface Asking {
  readonly call: Call
  readonly answers: ResponseCaches
  readonly upstream: Upstream
}

function remembered(
  { call, answers, upstream }: Asking,
  destination: ResolvedMethod,
  minBlock: number | undefined,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const memory = answers.of(upstream, call.grant)
  const outgoing = new OutgoingCall(call, destination, upstream, minBlock)
  if (!asksForHead(destination)) return memory.answers.answer(call, destination, outgoing, completion)
  memory.answers.answer(call, destination, outgoing, {
    resolve: (asked) => {
      const again = (one: ResolvedMethod, floor: number) =>
        promised<RpcResponse | UpstreamResponse>((asker) => sendToUpstream(call, one, upstream, floor, asker))
      monotonicReads(call, destination, asked, { answers, upstream, ask: again }, completion)
    },
    reject: (error) => completion.reject(error),
  })
}
