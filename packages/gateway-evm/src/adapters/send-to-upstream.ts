import { type Completion, promised, settleWith } from '@fairlead/runtime'
import type { ClientCall } from '../rpc-call.ts'
import { stringifyParams } from '@fairlead/gateway-core/json-rpc/rpc-text'
import type { ResolvedMethod } from '../methods/resolve-method.ts'
import type { Adapter, ChunkContext } from './adapter.ts'
import type { Reservation } from '@fairlead/gateway-core/memory/memory-ledger'
import type { Sendable } from '../cache/request-coalescer.ts'
import { isMethodNotFound, type RpcResponse } from '../response/rpc-response.ts'
import { UpstreamResponse } from '../response/upstream-response.ts'
import type { Call } from '../call.ts'
import type { Upstream } from '../upstream/types.ts'
import { upstreamOf } from '../upstream/upstream-calls.ts'

/**
 * Sends a call through its adapter, if it has one, or directly to the upstream.
 *
 * The request envelope is always serialized again. Upstreams interpret duplicate keys and keys in another case
 * differently, and the method that was checked here must be the one that runs there.
 *
 * @param call - the call
 * @param destination - the resolved method
 * @param upstream - receives the call
 * @param minBlock - number of a block that the responding upstream must have
 * @param completion - receives the upstream's own response only when it begins like a result, or an error that
 * `toRpcError` maps
 */
export function sendToUpstream(
  call: ClientCall,
  destination: ResolvedMethod,
  upstream: Upstream,
  minBlock: number | undefined,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { adapter } = destination
  if (adapter) settleWith(adapted(call, destination, adapter, upstream, minBlock), completion)
  else post(call, destination, upstream, minBlock, completion)
}

async function adapted(
  call: ClientCall,
  destination: ResolvedMethod,
  adapter: Adapter,
  upstreamOfNode: Upstream,
  minBlock: number | undefined,
): Promise<RpcResponse | UpstreamResponse> {
  const { params } = destination
  const upstream = upstreamOf(call.grant, upstreamOfNode)
  const handled = await adapter.handle?.(call, params, upstream)
  if (handled !== undefined) return { result: JSON.stringify(handled) }
  const transformed = await adapter.transformParams?.(call, params, upstream)
  const forwarded =
    transformed === undefined
      ? destination
      : { ...destination, params: transformed, paramsText: stringifyParams(transformed) }
  const sendFull = () =>
    promised<RpcResponse | UpstreamResponse>((completion) =>
      post(call, forwarded, upstream, minBlock, completion),
    )
  if (!adapter.gather) return sendFull()
  const reservation = upstream.reserve(call.grant)
  try {
    const sendChunk = chunkSender(call, forwarded, upstream, reservation)
    return (
      (await adapter.gather(call, forwarded.params, { upstream, reservation, sendFull, sendChunk })) ??
      (await sendFull())
    )
  } finally {
    reservation.release()
  }
}

/** Requests chunks, each of which may be cached. */
function chunkSender(
  call: ClientCall,
  destination: ResolvedMethod,
  upstream: Upstream,
  reservation: Reservation,
): ChunkContext['sendChunk'] {
  return async (params, minBlock) => {
    const chunk = { ...destination, adapter: undefined, params, paramsText: stringifyParams(params) }
    const request: Sendable = {
      version: upstream.list?.version,
      send: (signal, completion) => post({ ...call, signal }, chunk, upstream, minBlock, completion),
    }
    const cache = call.caches?.of(upstream, call.grant)
    const response = await promised<RpcResponse | UpstreamResponse>((completion) => {
      if (cache) cache.coalescer.respondChunk(call, chunk, request, completion)
      else request.send(call.signal, completion)
    })
    return response instanceof UpstreamResponse
      ? response.readRpcResponse({ method: chunk.method.name, reservation, signal: call.signal })
      : response
  }
}

function post(
  call: ClientCall,
  { adapter, method: { name: method }, policy, params, paramsText }: ResolvedMethod,
  upstream: Upstream,
  minBlock: number | undefined,
  completion: Completion<RpcResponse | UpstreamResponse>,
): void {
  const { signal, request, batch, grant } = call
  const { idText: given = '1' } = request
  const idText = isReturnedUnchanged(given) ? given : undefined
  const sent: Call = { method, policy, params, paramsText, idText, grant, signal, minBlock, batch }
  upstream.send(sent, signal, {
    resolve: (response) => {
      const canPassThrough = adapter === undefined && response.isBufferedResult
      if (canPassThrough) completion.resolve(response)
      else settleWith(translated(response, { call, adapter, method, params, upstream }), completion)
    },
    reject: (error) => completion.reject(error),
  })
}

/** The request that was sent to an upstream, as needed to process its response. */
interface Translation {
  readonly call: ClientCall
  readonly adapter: Adapter | undefined
  readonly method: string
  readonly params: readonly unknown[]
  readonly upstream: Upstream
}

async function translated(
  response: UpstreamResponse,
  { call, adapter, method, params, upstream }: Translation,
): Promise<RpcResponse | UpstreamResponse> {
  const { signal } = call
  const reservation = upstream.reserve(call.grant)
  try {
    if (adapter?.transformResult && isWithin(response, adapter.transformUpTo)) {
      const result = await response.readResult({ method, reservation, signal })
      return { result: JSON.stringify(await adapter.transformResult(result, call, params, upstream)) }
    }
    if (await response.beginsWithError(signal)) {
      const rpcResponse = await response.readRpcResponse({ method, reservation, signal })
      if (upstream.onMethodMissing && isMethodNotFound(rpcResponse)) upstream.onMethodMissing(call.grant)
      return rpcResponse
    }
    const rewrite = adapter?.rewrite?.(params)
    return rewrite ? response.rewrite(rewrite) : response
  } finally {
    reservation.release()
  }
}

function isWithin({ length }: UpstreamResponse, limit: number | undefined): boolean {
  return limit === undefined || (length !== undefined && length <= limit)
}

/**
 * Whether upstreams return an id unchanged. They return other ids with fewer digits, as another number, or not at all.
 */
export function isReturnedUnchanged(idText: string): boolean {
  return isSmallNumber(idText) || unchangedIds.test(idText)
}

const unchangedIds = /^(?:0|[1-9]\d{0,14}|"[\w .:-]{0,64}")$/

// Most ids are small numbers. This check avoids the regular expression.
function isSmallNumber(text: string): boolean {
  const first = text.charCodeAt(0)
  if (text.length > 9 || !(first > zero && first <= nine)) return false
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < zero || code > nine) return false
  }
  return true
}

const zero = 0x30
const nine = 0x39
