import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import type { Idempotency } from '@fairlead/gateway-core/upstream/idempotency'

// These methods change nothing, but use a key that only some upstreams have.
const signedMethods = /^(?:eth_sign|personal_)/

const byMethod: ReadonlyMap<string, Idempotency> = new Map(
  Object.values(methods as Readonly<Record<string, Method>>).map(({ name, idempotent }) => [
    name,
    idempotent && !signedMethods.test(name) ? 'always' : 'unseen',
  ]),
)

/**
 * Returns when a call of this method may be sent again. A method that is not in the specification counts as a change.
 */
export function idempotencyOf(method: string | undefined): Idempotency {
  if (method === 'eth_sendRawTransaction') return 'same bytes'
  return (method !== undefined && byMethod.get(method)) || 'unseen'
}
