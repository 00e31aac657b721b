import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import type { Idempotency } from '@fairlead/gateway-core/upstream/idempotency'

// They read, but with a key that one upstream has and another has not.
const signing = /^(?:eth_sign|personal_)/

const byMethod: ReadonlyMap<string, Idempotency> = new Map(
  Object.values(methods as Readonly<Record<string, Method>>).map(({ name, idempotent }) => [
    name,
    idempotent && !signing.test(name) ? 'always' : 'unseen',
  ]),
)

/** When a call of this method may be sent again; one that is not in the contract is taken for a change. */
export function idempotencyOf(method: string | undefined): Idempotency {
  if (method === 'eth_sendRawTransaction') return 'same bytes'
  return (method !== undefined && byMethod.get(method)) || 'unseen'
}
