import type { Method } from '@fairlead/core'
import { methods } from '@fairlead/evm-rpc/contract'
import type { UpstreamError } from '@fairlead/gateway-core/upstream/upstream-error'

/**
 * When a call may be sent to another upstream as well: `always`, as for what only reads; `same bytes`, for a signed
 * transaction, which the chain takes once however often it comes; `unseen`, when no upstream has seen it.
 */
export type Idempotency = 'always' | 'same bytes' | 'unseen'

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

/** Whether a failed call may be sent to another upstream. */
export function mayResend(resending: Idempotency, { kind, httpStatus }: UpstreamError): boolean {
  if (kind === 'aborted') return false
  if (kind === 'unconnected' || httpStatus === 429) return true
  return resending !== 'unseen'
}
