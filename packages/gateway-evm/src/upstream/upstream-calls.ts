import type { Grant } from '@fairlead/gateway-core/grants/grant'
import { promised } from '@fairlead/runtime'
import type { MemoryLedger } from '@fairlead/gateway-core/memory/memory-ledger'
import { ownCall } from './own-call.ts'
import type { Upstream } from './types.ts'

/**
 * Derives the other methods of an upstream from `send`.
 *
 * @param memory - reserves memory for buffered responses
 */
export function upstreamCalls(
  send: Upstream['send'],
  memory: Pick<Upstream, 'reserve'>,
): Pick<Upstream, 'post' | 'call' | 'batch' | 'reserve'> {
  const post: Upstream['post'] = (call) => promised((completion) => send(call, call.signal, completion))
  const call: Upstream['call'] = async (method, params, signal) => {
    const response = await post(ownCall(method, params, signal))
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

/** The upstream of the latest call of each client: most calls of a client have the same one. */
const upstreams = new WeakMap<Grant, Upstream>()

/** Returns an upstream whose calls belong to a client. */
export function upstreamOf(grant: Grant, upstream: Upstream): Upstream {
  const existing = upstreams.get(grant)
  if (existing !== undefined && existing.origin === upstream) return existing
  const send: Upstream['send'] = (call, signal, completion) =>
    upstream.send(call.grant ? call : { ...call, grant }, signal, completion)
  const { node = upstream, origin = upstream } = upstream
  const created = { ...upstream, send, ...upstreamCalls(send, upstream), node, origin }
  upstreams.set(grant, created)
  return created
}

/** Reserves memory for buffered responses. */
export function responsesIn(ledger: MemoryLedger): Pick<Upstream, 'reserve'> {
  return { reserve: (owner) => ledger.reserve(owner, 'response') }
}
