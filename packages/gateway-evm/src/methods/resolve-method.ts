import type { Method } from '@fairlead/core'
import type { Adapter } from '../adapters/adapter.ts'
import { adapterOf } from '../adapters/adapters.ts'
import type { RpcRequest } from '@fairlead/gateway-core/json-rpc/types'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { availableMethod, findMethod } from './available-methods.ts'
import { unknownPolicy } from './method-policy.ts'
import type { ResponseCaches } from '../cache/caches.ts'
import type { ClientCall } from '../client-call.ts'

/** A call of a client whose method is resolved. */
export interface ResolvedCall extends ClientCall {
  /** Responds in place of the upstream, or transforms the call. Most methods have none. */
  readonly adapter: Adapter | undefined
  /** Caches for responses. Without it, every call is sent to the upstream. */
  readonly caches?: ResponseCaches<ResolvedCall> | undefined
  readonly batch?: Batch | undefined
}

/** The batch of a client. */
export interface Batch {
  /** Reads the number that counts as the latest block for all calls. Undefined when they need no common block. */
  latest: (() => Promise<number | undefined>) | undefined
}

/** What the calls of one request of a client share. */
export type ClientContext = Pick<
  ResolvedCall,
  'grant' | 'endpoint' | 'signal' | 'maxLogRange' | 'caches' | 'upstream'
>

/** A call whose method is not resolved yet. */
export interface UnresolvedCall extends Pick<ResolvedCall, 'request' | 'found' | 'grant' | 'endpoint'> {
  adapter: Adapter | undefined
  /** By position, with the defaults of the specification for omitted params. */
  params: readonly unknown[]
  /** The params as JSON. The caller's own params are unchanged. */
  paramsText: string
}

/**
 * Creates a call for a client and resolves its method, without admission.
 *
 * @throws as {@link resolveMethod}
 */
export function resolvedCall(
  request: RpcRequest,
  { grant, endpoint, signal, maxLogRange, caches, upstream }: ClientContext,
): ResolvedCall {
  const { method, paramsText } = request
  const found = findMethod(method)
  const call = {
    request,
    found,
    method,
    policy: found?.policy ?? unknownPolicy,
    grant,
    endpoint,
    signal,
    maxLogRange,
    caches,
    upstream,
    adapter: undefined,
    params: [],
    paramsText,
  }
  resolveMethod(call)
  return call
}

/**
 * Resolves the method of a call that the node offers: sets its adapter, and its params after a check of their number.
 *
 * @throws {@link RpcError} -32601 for a method that is not offered, or not over this transport; -32602 for invalid
 * params
 */
export function resolveMethod(call: UnresolvedCall): void {
  const { request, found, grant, endpoint } = call
  const { method } = availableMethod(request.method, found, grant, endpoint)
  if (method.transports && !method.transports.includes('http')) {
    throw new RpcError(rpcCodes.methodNotFound, `${method.name} is available only over WebSocket.`)
  }
  call.params = positional(method, request.params)
  call.paramsText = request.paramsText
  const adapter = adapterOf(method.name)
  call.adapter = adapter?.endpoint === undefined || adapter.endpoint === endpoint ? adapter : undefined
  if (call.params.length < method.params.length) appendDefaults(call, method)
}

function positional(method: Method, params: RpcRequest['params']): readonly unknown[] {
  const invalid = (message: string) => new RpcError(rpcCodes.invalidParams, message)
  if (!isArray(params)) throw invalid(`The params of ${method.name} must be an array.`)
  if (params.length > method.params.length) {
    throw invalid(`${method.name} accepts at most ${method.params.length} params, not ${params.length}.`)
  }
  if (params.length === method.params.length) return params
  const missing = method.params.slice(params.length).find(({ required }) => required)
  if (missing) throw invalid(`${method.name} requires the param ${missing.name}.`)
  return params
}

// Some upstreams require parameters that have a default in the specification. A flag that is false is still omitted: it
// has no effect, and upstreams without the flag reject the call.
function appendDefaults(call: UnresolvedCall, method: Method): void {
  const { params, paramsText } = call
  const defaults = method.params.slice(params.length).map(({ schema }) => schema['default'])
  const last = defaults.findLastIndex((value) => value !== undefined && value !== false)
  if (last < 0) return
  const added = defaults.slice(0, last + 1).map((value) => value ?? null)
  const text = added.map((value) => JSON.stringify(value)).join(',')
  call.params = [...params, ...added]
  call.paramsText = params.length === 0 ? `[${text}]` : `${paramsText.slice(0, -1)},${text}]`
}

// `Array.isArray` does not narrow a readonly array.
function isArray(value: RpcRequest['params']): value is readonly unknown[] {
  return Array.isArray(value)
}
