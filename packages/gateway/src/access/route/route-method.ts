import { type Methods, methods } from '@fairlead/evm-rpc/contract'
import type { Method } from '@fairlead/core'
import type { Adapter } from '../forward/adapters/adapter.ts'
import { adapters } from '../forward/adapters/adapters.ts'
import type { RpcRequest } from '../json-rpc/parse-body.ts'
import { RpcFailure, rpcCodes } from '../json-rpc/rpc-failure.ts'

/** Where a call goes. */
export interface Destination {
  readonly method: Method
  /** Answers in place of the node, or translates; most methods have none. */
  readonly adapter: Adapter | undefined
  readonly params: readonly unknown[]
  /** The parameters as JSON, with the defaults of the specification behind those that the call left out. */
  readonly paramsText: string
}

/**
 * Finds the method in the contract and checks the number of its parameters.
 *
 * @param request - a checked envelope
 * @param endpoint - address shape that the call came by
 * @throws {@link RpcFailure} -32601 for a method that is not in the contract, -32602 for parameters that cannot fit
 */
export function routeMethod(request: RpcRequest, endpoint: '' | 'evm'): Destination {
  const name = request.method
  if (!Object.hasOwn(methods, name)) {
    throw new RpcFailure(rpcCodes.methodNotFound, `The method ${printable(name)} is not offered.`)
  }
  const method: Method = methods[name as keyof Methods]
  const params = positional(method, request.params)
  const adapter = (adapters as Partial<Record<string, Adapter>>)[name]
  return {
    method,
    adapter: adapter?.endpoint === undefined || adapter.endpoint === endpoint ? adapter : undefined,
    params,
    paramsText: withDefaults(method, params, request.paramsText),
  }
}

function positional(method: Method, params: RpcRequest['params']): readonly unknown[] {
  const invalid = (message: string) => new RpcFailure(rpcCodes.invalidParams, message)
  if (!isArray(params)) throw invalid(`The params of ${method.name} must be an array.`)
  if (params.length > method.params.length) {
    throw invalid(`${method.name} takes at most ${method.params.length} params, not ${params.length}.`)
  }
  const missing = method.params.find((param, position) => param.required && position >= params.length)
  if (missing) throw invalid(`${method.name} needs the param ${missing.name}.`)
  return params
}

// Some nodes insist on parameters that the specification gives a default. A flag that is off is left out all the same:
// it says nothing, and nodes that do not know the flag refuse the call.
function withDefaults(method: Method, params: readonly unknown[], paramsText: string): string {
  const defaults = method.params.slice(params.length).map(({ schema }) => schema['default'])
  const last = defaults.findLastIndex((value) => value !== undefined && value !== false)
  if (last < 0) return paramsText
  const added = defaults.slice(0, last + 1).map((value) => JSON.stringify(value ?? null))
  return params.length === 0 ? `[${added.join(',')}]` : `${paramsText.slice(0, -1)},${added.join(',')}]`
}

// The built-in check does not narrow a readonly array.
function isArray(value: RpcRequest['params']): value is readonly unknown[] {
  return Array.isArray(value)
}

function printable(name: string): string {
  return /^\w{1,64}$/.test(name) ? name : 'of this name'
}
