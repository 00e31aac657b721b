import { promised, type Tenant } from '@fairlead/runtime'
import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { callText, stringifyParams } from '@fairlead/gateway-core/json-rpc/rpc-text'
import { ownCall } from './own-call.ts'
import { unknownCall, type Upstream } from './types.ts'

/**
 * Derives the other methods of an upstream from `send`.
 *
 * @param memory - reserves memory for buffered responses
 */
export function upstreamCalls(
  send: Upstream['send'],
  memory: Pick<Upstream, 'reserve'>,
): Pick<Upstream, 'post' | 'call' | 'batch' | 'reserve'> {
  const post: Upstream['post'] = (body, signal, info) =>
    promised((completion) => send(body, signal, info, completion))
  const call: Upstream['call'] = async (method, params, signal) => {
    const response = await post(
      callText(method, stringifyParams(params), '1'),
      signal,
      ownCall(method, params),
    )
    const reservation = memory.reserve()
    try {
      return await response.readResult({ method, reservation, signal })
    } finally {
      reservation.release()
    }
  }
  return {
    post,
    call,
    batch: (calls, signal) => Promise.all(calls.map(([method, params]) => call(method, params, signal))),
    reserve: (owner) => memory.reserve(owner),
  }
}

/** The upstream of the latest call of each tenant: most calls of a credential have the same one. */
const upstreams = new WeakMap<Tenant, Upstream>()

/** Returns an upstream whose calls belong to a tenant. */
export function upstreamOf(tenant: Tenant, upstream: Upstream): Upstream {
  const existing = upstreams.get(tenant)
  if (existing !== undefined && existing.origin === upstream) return existing
  const send: Upstream['send'] = (body, signal, info = unknownCall, completion) =>
    upstream.send(body, signal, info.tenant ? info : { ...info, tenant }, completion)
  const { node = upstream, origin = upstream } = upstream
  const created = { ...upstream, send, ...upstreamCalls(send, upstream), node, origin }
  upstreams.set(tenant, created)
  return created
}

/** Reserves memory for buffered responses. */
export function responsesIn(ledger: MemoryLedger): Pick<Upstream, 'reserve'> {
  return { reserve: (owner) => ledger.reserve(owner, 'response') }
}
