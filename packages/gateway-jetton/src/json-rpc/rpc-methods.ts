import type { Method } from '@fairlead/core'
import { v2Rpc } from '@fairlead/jetton/contract'
import type { OperationPolicy } from '@fairlead/gateway-core/rest/operation-policy'
import { policies } from '../generated/jetton-v2-rpc/method-policies.ts'
import { JettonError } from '../jetton-error.ts'

/** A JSON-RPC method of the contract. */
export interface RpcMethod {
  readonly method: Method
  readonly policy: OperationPolicy
}

const methods: ReadonlyMap<string, RpcMethod> = new Map(
  Object.entries<Method>(v2Rpc.methods).map(([name, method]) => [
    name,
    { method, policy: policies[name as keyof typeof v2Rpc.methods] },
  ]),
)

/**
 * Finds a JSON-RPC method.
 *
 * @throws {@link JettonError} 422 for a method that the contract does not define
 */
export function findRpcMethod(name: string): RpcMethod {
  const found = methods.get(name)
  if (!found) throw new JettonError(422, 'method should be the name of a method of the jetton chain API.')
  return found
}
