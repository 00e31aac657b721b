import { type CancellationSignal, type Completion, promised, settleWith } from '@fairlead/runtime'
import { stringifyParams } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { ResolvedCall } from '../methods/resolve-method.ts'
import type { Adapter, ChunkContext } from '../adapters/adapter.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import { isMethodNotFound, type RpcResponse } from '../response/rpc-response.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import { upstreamOf } from './upstream-calls.ts'

/**
 * Sends a call through its adapter, if it has one, or directly to the upstream.
 *
 * The request envelope is always serialized again. Upstreams interpret duplicate keys and keys in another case
 * differently, and the method that was checked here must be the one that runs there.
 *
 * @param call - the call
 * @param signal - cancels the exchange, which may end before or after the call
 * @param completion - receives the upstream's own response only when it begins like a result, or an error that
 * `toRpcError` maps
 */
export function sendToUpstream(
  call: ResolvedCall,
  signal: CancellationSignal,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { adapter } = call
  if (adapter) settleWith(adapted(call, adapter, signal), completion)
  else post(call, signal, completion)
}

async function adapted(
  given: ResolvedCall,
  adapter: Adapter,
  signal: CancellationSignal,
): Promise<RpcResponse | UpstreamResponse> {
  const upstream = upstreamOf(given.grant, given.upstream)
  const call = { ...given, signal, upstream }
  const { params, caches } = call
  const handled = await adapter.handle?.(call, params, upstream)
  if (handled !== undefined) return { result: JSON.stringify(handled) }
  const transformed = await adapter.transformParams?.(call, params, upstream)
  const forwarded = transformed === undefined ? call : withParams(call, transformed)
  const sendFull = () =>
    promised<RpcResponse | UpstreamResponse>((completion) => post(forwarded, signal, completion))
  if (!adapter.gather) return sendFull()
  const reservation = upstream.reserve(call.grant)
  try {
    const { upstreamLogRange = 0 } = caches ?? {}
    const sendChunk = chunkSender(forwarded, reservation)
    const context = { upstream, reservation, upstreamLogRange, sendFull, sendChunk }
    return (await adapter.gather(call, forwarded.params, context)) ?? (await sendFull())
  } finally {
    reservation.release()
  }
}

function withParams(call: ResolvedCall, params: readonly unknown[]): ResolvedCall {
  return { ...call, params, paramsText: stringifyParams(params) }
}

/** Requests chunks, each of which may be cached. */
function chunkSender(call: ResolvedCall, reservation: Reservation): ChunkContext['sendChunk'] {
  const { method, upstream, grant, signal } = call
  return async (params, minBlock) => {
    const chunk = { ...withParams(call, params), adapter: undefined, minBlock }
    const cache = call.caches?.of(upstream, grant)
    const response = await promised<RpcResponse | UpstreamResponse>((completion) => {
      if (cache) cache.coalescer.respondChunk(chunk, completion)
      else post(chunk, signal, completion)
    })
    return response instanceof UpstreamResponse
      ? response.readRpcResponse({ method, reservation, signal })
      : response
  }
}

function post(
  call: ResolvedCall,
  signal: CancellationSignal,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  call.upstream.send(call, signal, {
    resolve: (response) => {
      const canPassThrough = call.adapter === undefined && response.isBufferedResult
      if (canPassThrough) completion.resolve(response)
      else settleWith(translated(response, call, signal), completion)
    },
    reject: (error) => completion.reject(error),
  })
}

async function translated(
  response: UpstreamResponse,
  call: ResolvedCall,
  signal: CancellationSignal,
): Promise<RpcResponse | UpstreamResponse> {
  const { adapter, request, method, params, upstream, grant } = call
  const reservation = upstream.reserve(grant)
  try {
    if (adapter?.transformResult && isWithin(response, adapter.transformUpTo)) {
      const result = await response.readResult({ method, reservation, signal })
      return { result: JSON.stringify(await adapter.transformResult(result, call, params, upstream)) }
    }
    if (await response.beginsWithError(signal)) {
      const rpcResponse = await response.readRpcResponse({ method, reservation, signal })
      if (upstream.onMethodMissing && isMethodNotFound(rpcResponse)) upstream.onMethodMissing(grant)
      return rpcResponse
    }
    const rewrite = adapter?.rewrite?.(params)
    return rewrite ? response.rewrite(rewrite, request.idText ?? 'null') : response
  } finally {
    reservation.release()
  }
}

function isWithin({ length }: UpstreamResponse, limit: number | undefined): boolean {
  return limit === undefined || (length !== undefined && length <= limit)
}
