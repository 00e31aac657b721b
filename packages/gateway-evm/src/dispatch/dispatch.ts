import { type Completion, settleWith } from '@fairlead/runtime'
import type { Batch, ResolvedCall } from '../methods/resolve-method.ts'
import { sendToUpstream } from '../upstream/send-to-upstream.ts'
import type { ResponseCaches } from '../cache/caches.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import { type SendPinned, sendPinned } from '../consistency/block-pinned-call.ts'
import { readsLatestBlock } from '../consistency/latest-block.ts'
import { monotonicReads } from '../consistency/monotonic-reads.ts'
import { responseText, type RpcResponse } from '../response/rpc-response.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'

/**
 * Responds to a call from the cache, through the method's adapter, or from the upstream.
 *
 * @param call - the call
 * @param completion - receives the full text of the response, or the unread response of the upstream; or an error that
 * `toRpcError` maps
 * @param reservation - when given, the response is buffered completely and checked before it is passed on
 */
export function beginDispatch(
  call: ResolvedCall,
  completion: Completion<string | UpstreamResponse>,
  reservation?: Reservation,
): void {
  const { idText = 'null' } = call.request
  respond(call, {
    resolve: (response) => {
      const isUnread = response instanceof UpstreamResponse
      const text = isUnread ? reservation && response.tryPassThrough(idText) : responseText(idText, response)
      if (text !== undefined) {
        const failure = reservation?.tryTake(text.length)
        if (failure) completion.reject(failure)
        else completion.resolve(text)
      } else if (isUnread) {
        if (!reservation && response.isDelimited && response.hasReplaceableId) completion.resolve(response)
        else settleWith(readWithCallId(response, call, reservation), completion)
      }
    },
    reject: (error) => completion.reject(error),
  })
}

/** Buffers a response completely and replaces its id with the id of the call. */
async function readWithCallId(
  response: UpstreamResponse,
  { request, method, upstream, grant, signal }: ResolvedCall,
  reservation: Reservation | undefined,
): Promise<string> {
  const { idText = 'null' } = request
  const memory = reservation ?? upstream.reserve(grant)
  try {
    return await response.readWithId(idText, { method, reservation: memory, signal })
  } finally {
    if (!reservation) memory.release()
  }
}

function respond(call: ResolvedCall, completion: Completion<RpcResponse | UpstreamResponse>): void {
  const { caches, batch } = call
  if (!caches) sendToUpstream(call, call.signal, completion)
  else if (batch?.latest) respondInBatch(call, caches, batch.latest, completion)
  else respondFromCaches(call, caches, completion)
}

/** Responds to a call of a batch in which another call may have read the latest block. */
function respondInBatch(
  call: ResolvedCall,
  caches: ResponseCaches<ResolvedCall>,
  latestOf: NonNullable<Batch['latest']>,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  // The caller that began the call no longer waits here, so a thrown error would not be caught.
  const send: SendPinned = (pinned, innerCompletion) => {
    try {
      respondFromCaches(pinned, caches, innerCompletion)
    } catch (error) {
      innerCompletion.reject(error)
    }
  }
  settleWith(latestOf(), {
    resolve: (latest) => {
      if (latest === undefined) send(call, completion)
      else sendPinned(call, latest, send, completion)
    },
    reject: (error) => completion.reject(error),
  })
}

function respondFromCaches(
  call: ResolvedCall,
  caches: ResponseCaches<ResolvedCall>,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { coalescer } = caches.of(call.upstream, call.grant)
  if (!readsLatestBlock(call)) return coalescer.respond(call, completion)
  coalescer.respond(call, {
    resolve: (response) => monotonicReads(call, response, caches, completion),
    reject: (error) => completion.reject(error),
  })
}
