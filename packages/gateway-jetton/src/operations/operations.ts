import { v2, v3 } from '@fairlead/jetton/contract'
import type { Route } from '@fairlead/core'
import type { OperationPolicy } from '@fairlead/gateway-core/rest/operation-policy'
import { type Operation, OperationTree } from '@fairlead/gateway-core/rest/operation-router'
import { policies as v2Policies } from '../generated/jetton-v2/operation-policies.ts'
import { policies as v3Policies } from '../generated/jetton-v3/operation-policies.ts'

/** The families of the jetton chain API: v2 of a TON node, v3 of an index of the chain. */
export type JettonFamily = 'v2' | 'v3'

/** An operation of either family. */
export interface JettonOperation extends Operation {
  readonly family: JettonFamily
  /** Entry of the contract. */
  readonly route: Route
  readonly policy: OperationPolicy
}

const operations = new OperationTree<JettonOperation>('jetton chain API', [
  ...operationsOf('v2', v2.routes, v2Policies),
  ...operationsOf('v3', v3.routes, v3Policies),
])

function operationsOf<id extends string>(
  family: JettonFamily,
  routes: Readonly<Record<id, Route>>,
  policies: Readonly<Record<id, OperationPolicy>>,
): readonly JettonOperation[] {
  return Object.entries<Route>(routes).map(([id, route]) => ({
    ...route,
    route,
    policy: policies[id as id],
    family,
  }))
}

/**
 * Finds the operation that a method and a path resolve to.
 *
 * @param method - of the request; HEAD resolves to the GET operation
 * @param path - path after the credential, without a query, for example `/api/v3/jetton/burns`
 * @throws RestError 404 for an unknown path, 405 with `Allow` for another method
 */
export function findJettonOperation(method: string, path: string): JettonOperation {
  return operations.find(method, path).operation
}
