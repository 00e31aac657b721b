import { type Completion, promised, settleWith } from '@fairlead/runtime'
import type { ClientCall } from '../rpc-call.ts'
import type { ResolvedMethod } from '../methods/resolve-method.ts'
import { sendToUpstream, isReturnedUnchanged } from '../adapters/send-to-upstream.ts'
import type { ResponseCaches } from '../cache/caches.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import { OutgoingCall } from '../adapters/outgoing-call.ts'
import { sendPinned, type PinnedCall } from '../consistency/block-pinned-call.ts'
import { readsLatestBlock, monotonicReads } from '../consistency/monotonic-reads.ts'
import { responseText, type RpcResponse } from '../response/rpc-response.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import type { Upstream } from '../upstream/types.ts'

/** As {@link beginDispatch}, with a promise in place of the callback. */
export function dispatch(
  call: ClientCall,
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
  call: ClientCall,
  destination: ResolvedMethod,
  upstream: Upstream,
  completion: Completion<string | UpstreamResponse>,
  reservation?: Reservation,
): void {
  const { idText = '1' } = call.request
  respond(call, destination, upstream, {
    resolve: (response) => {
      const isUnread = response instanceof UpstreamResponse
      const text = isUnread ? reservation && response.tryPassThrough(idText) : responseText(idText, response)
      if (text !== undefined) {
        const failure = reservation?.tryTake(text.length)
        if (failure) completion.reject(failure)
        else completion.resolve(text)
      } else if (isUnread) {
        if (!reservation && response.isDelimited && isReturnedUnchanged(idText)) completion.resolve(response)
        else settleWith(readWithCallId(response, { call, destination, upstream }, reservation), completion)
      }
    },
    reject: (error) => completion.reject(error),
  })
}

/** Buffers a response completely and replaces its id with the id of the call. */
async function readWithCallId(
  response: UpstreamResponse,
  { call, destination, upstream }: Omit<DispatchContext, 'caches'> & { readonly destination: ResolvedMethod },
  reservation: Reservation | undefined,
): Promise<string> {
  const { signal, request } = call
  const { idText = '1' } = request
  const memory = reservation ?? upstream.reserve(call.grant)
  try {
    const method = destination.method.name
    return await response.readWithId(idText, { method, reservation: memory, signal })
  } finally {
    if (!reservation) memory.release()
  }
}

function respond(
  call: ClientCall,
  destination: ResolvedMethod,
  upstream: Upstream,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { caches, latest } = call
  if (!caches) sendToUpstream(call, destination, upstream, undefined, completion)
  else if (latest) respondInBatch({ call, caches, upstream }, destination, latest, completion)
  else respondFromCaches({ call, caches, upstream }, destination, undefined, completion)
}

/** Responds to a call of a batch in which another call may have read the latest block. */
function respondInBatch(
  context: DispatchContext,
  destination: ResolvedMethod,
  latestOf: NonNullable<ClientCall['latest']>,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  // The caller that began the call no longer waits here, so a thrown error would not be caught.
  const send: PinnedCall['send'] = (resolved, minBlock, innerCompletion) => {
    try {
      respondFromCaches(context, resolved, minBlock, innerCompletion)
    } catch (error) {
      innerCompletion.reject(error)
    }
  }
  const { upstream } = context
  settleWith(latestOf(), {
    resolve: (latest) => {
      if (latest === undefined) send(destination, undefined, completion)
      else sendPinned({ latest, destination, upstream, send }, completion)
    },
    reject: (error) => completion.reject(error),
  })
}

/** Context shared by all ways to respond to a call. */
interface DispatchContext {
  readonly call: ClientCall
  readonly caches: ResponseCaches
  readonly upstream: Upstream
}

function respondFromCaches(
  { call, caches, upstream }: DispatchContext,
  destination: ResolvedMethod,
  minBlock: number | undefined,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const nodeCache = caches.of(upstream, call.grant)
  const outgoing = new OutgoingCall(call, destination, upstream, minBlock)
  if (!readsLatestBlock(destination))
    return nodeCache.coalescer.respond(call, destination, outgoing, completion)
  nodeCache.coalescer.respond(call, destination, outgoing, {
    resolve: (response) => {
      const resend = (resolved: ResolvedMethod, highWaterMark: number) =>
        promised<RpcResponse | UpstreamResponse>((innerCompletion) =>
          sendToUpstream(call, resolved, upstream, highWaterMark, innerCompletion),
        )
      monotonicReads(call, destination, response, { caches, upstream, resend }, completion)
    },
    reject: (error) => completion.reject(error),
  })
}
