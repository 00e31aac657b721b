import type { Route } from '@fairlead/core'
import { routes } from '@fairlead/beacon/contract'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import { legacyOperations } from './legacy-operations.ts'
import { type Operation, OperationTree } from '@fairlead/gateway-core/rest/operation-router'

/** The operation that a method and a path resolve to. */
export interface ResolvedOperation {
  readonly operationId: string
  /** Entry of the contract; undefined for an operation that the contract no longer has. */
  readonly route: Route | undefined
  /** Path parameters by name, decoded. */
  readonly pathValues: Readonly<Record<string, string>>
}

// The contract comes last: an operation that it defines is not a legacy operation.
const operations = new OperationTree<Operation & { readonly route?: Route }>('beacon node API', [
  ...legacyOperations,
  ...Object.values<Route>(routes).map((route) => ({ ...route, route })),
])

/**
 * Finds the operation that a method and a path resolve to.
 *
 * @param method - of the request; HEAD resolves to the GET operation
 * @param path - path after the credential, without a query, for example `/eth/v1/node/health`
 * @throws {@link RestError} 404 for an unknown path, 405 with `Allow` for another method, 400 for a segment that an
 * upstream could resolve to another path
 */
export function findBeaconOperation(method: string, path: string): ResolvedOperation {
  const { operation, segments } = operations.find(method, path)
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const pathValues = names.map(
    (name, position) => [name, decodeSegment(name, segments[position] ?? '')] as const,
  )
  return {
    operationId: operation.operationId,
    route: operation.route,
    pathValues: Object.fromEntries(pathValues),
  }
}

// Servers that resolve dots and slashes, also encoded ones, would serve another path than the one that was checked.
function decodeSegment(name: string, segment: string): string {
  const isWellFormed = /^(?:[\w.~!$&'()*+,;=:@-]|%[\da-f]{2})+$/i.test(segment)
  const value = isWellFormed ? percentDecode(segment) : undefined
  if (value === undefined || /^\.\.?$|[/\\\p{Cc}]/u.test(value)) {
    throw new RestError(400, `The path parameter ${name} must be a single path segment.`)
  }
  return value
}

function percentDecode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
