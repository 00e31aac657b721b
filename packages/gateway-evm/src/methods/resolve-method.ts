import type { Method } from '@fairlead/core'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Adapter } from '../adapters/adapter.ts'
import { adapterOf } from '../adapters/adapters.ts'
import type { RpcRequest } from '@fairlead/gateway-core/json-rpc/types'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../rpc-codes.ts'
import { availableMethod } from './available-methods.ts'
import type { SpecifiedMethod } from './method-policy.ts'

/** A resolved method and its params. */
export interface ResolvedMethod extends SpecifiedMethod {
  /** Responds in place of the upstream, or transforms the call. Most methods have none. */
  readonly adapter: Adapter | undefined
  /** By position, with the defaults of the specification for omitted params. */
  readonly params: readonly unknown[]
  /** The params as JSON. The caller's own params are unchanged. */
  readonly paramsText: string
}

/**
 * Resolves the method of a call that the node offers, and checks the number of its params.
 *
 * @param request - a validated envelope
 * @param found - its method in the specification
 * @param grant - the node
 * @param endpoint - URL path suffix of the call
 * @throws {@link RpcError} -32601 for a method that is not offered, or not over this transport; -32602 for invalid
 * params
 */
export function resolveMethod(
  request: RpcRequest,
  found: SpecifiedMethod | undefined,
  grant: Grant,
  endpoint: '' | 'evm',
): ResolvedMethod {
  const { method, policy } = availableMethod(request.method, found, grant, endpoint)
  if (method.transports && !method.transports.includes('http')) {
    throw new RpcError(rpcCodes.methodNotFound, `${method.name} is available only over WebSocket.`)
  }
  const given = positional(method, request.params)
  const adapter = adapterOf(method.name)
  const { params, paramsText } = withDefaults(method, given, request.paramsText)
  return {
    method,
    policy,
    adapter: adapter?.endpoint === undefined || adapter.endpoint === endpoint ? adapter : undefined,
    params,
    paramsText,
  }
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
function withDefaults(method: Method, params: readonly unknown[], paramsText: string) {
  if (params.length === method.params.length) return { params, paramsText }
  const defaults = method.params.slice(params.length).map(({ schema }) => schema['default'])
  const last = defaults.findLastIndex((value) => value !== undefined && value !== false)
  if (last < 0) return { params, paramsText }
  const added = defaults.slice(0, last + 1).map((value) => value ?? null)
  const text = added.map((value) => JSON.stringify(value)).join(',')
  return {
    params: [...params, ...added],
    paramsText: params.length === 0 ? `[${text}]` : `${paramsText.slice(0, -1)},${text}]`,
  }
}

// `Array.isArray` does not narrow a readonly array.
function isArray(value: RpcRequest['params']): value is readonly unknown[] {
  return Array.isArray(value)
}
