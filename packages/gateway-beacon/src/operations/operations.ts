import type { Route } from '@fairlead/core'
import { routes } from '@fairlead/beacon/contract'
import { RestError } from '@fairlead/gateway-core/rest/rest-error'
import { ordinaryCost } from '@fairlead/gateway-core/usage/units'
import { policies } from '../generated/operation-policies.ts'
import type { BeaconPolicy } from './beacon-policy.ts'
import { legacyOperations } from './legacy-operations.ts'
import { type Operation, OperationTree } from '@fairlead/gateway-core/rest/operation-router'

/** The operation that a method and a path resolve to. */
export interface ResolvedOperation {
  readonly operationId: string
  /** Entry of the contract; undefined for an operation that the contract no longer has. */
  readonly route: Route | undefined
  readonly policy: BeaconPolicy
  /** Path parameters by name, decoded. */
  readonly pathValues: Readonly<Record<string, string>>
}

interface KnownOperation extends Operation {
  readonly route?: Route
  readonly policy: BeaconPolicy
}

// The response format of an operation of an earlier release is unknown, so its responses are not cached.
const legacyPolicy = (method: string): BeaconPolicy => ({
  cost: ordinaryCost,
  resending: method === 'GET' ? 'always' : 'unseen',
  cache: undefined,
})

// The contract comes last: an operation that it defines is not a legacy operation.
const operations = new OperationTree<KnownOperation>('beacon node API', [
  ...legacyOperations.map((operation) => ({ ...operation, policy: legacyPolicy(operation.method) })),
  ...Object.entries<Route>(routes).map(([id, route]) => ({
    ...route,
    route,
    policy: policies[id as keyof typeof routes],
  })),
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
    policy: operation.policy,
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
