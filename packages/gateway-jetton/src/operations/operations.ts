import { v2, v3 } from '@fairlead/jetton/contract'
import type { Route } from '@fairlead/core'
import { type Operation, OperationTree } from '@fairlead/gateway-core/rest/operation-router'

/** The families of the jetton chain API: of a node, and of an index over it. */
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
 * Finds the operation that a method and a path lead to.
 *
 * @param method - of the request; HEAD leads to where GET does
 * @param path - below the credential, without a query, for example `/api/v3/jetton/burns`
 * @throws RestError 404 for a path that nobody knows, 405 with `Allow` for another method
 */
export function findJettonOperation(method: string, path: string): JettonOperation {
  return operations.find(method, path).operation
}
