import { v2, v3 } from '@fairlead/jetton/contract'
import type { Route } from '@fairlead/core'
import { type Operation, OperationTree } from '@fairlead/gateway-core/rest/operation-router'

/** The families of the jetton chain API: v2 of a TON node, v3 of an index of the chain. */
export type JettonFamily = 'v2' | 'v3'

/** An operation of either family. */
export interface JettonOperation extends Operation {
  readonly family: JettonFamily
  /** Entry of the contract. */
  readonly route: Route
}

const operations = new OperationTree<JettonOperation>('jetton chain API', [
  ...Object.values<Route>(v2.routes).map((route) => ({ ...route, route, family: 'v2' as const })),
  ...Object.values<Route>(v3.routes).map((route) => ({ ...route, route, family: 'v3' as const })),
])

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
