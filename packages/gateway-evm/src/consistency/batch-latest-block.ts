import type { ClientCall } from '../rpc-call.ts'
import type { RpcItem } from '@fairlead/gateway-core/json-rpc/types'
import { findMethod } from '../methods/available-methods.ts'
import { resolveMethod } from '../methods/resolve-method.ts'
import { dispatch } from '../dispatch/dispatch.ts'
import type { Upstream } from '../upstream/types.ts'
import { latestParam } from './latest-param.ts'

/** Context that the calls of a batch share. */
type BatchContext = Pick<ClientCall, 'grant' | 'endpoint' | 'signal' | 'caches'> & {
  readonly upstream: Upstream
}

/**
 * Returns a function that reads the latest block once for all calls of a batch, so that they respond from the same
 * state.
 *
 * @param items - the calls
 * @param context - context of the batch
 * @returns undefined when fewer than two calls depend on it
 */
export function batchLatestBlock(items: readonly RpcItem[], context: BatchContext): ClientCall['latest'] {
  if (!context.caches || items.filter(dependsOnLatest).length < 2) return undefined
  let read: Promise<number | undefined> | undefined
  // Runs only after a call was admitted.
  return () => (read ??= latestOf(context))
}

async function latestOf(context: BatchContext): Promise<number | undefined> {
  const request = { method: 'eth_blockNumber', params: [], paramsText: '[]', idText: '1' }
  const { upstream, grant, endpoint, signal, caches } = context
  const reservation = upstream.reserve()
  try {
    const destination = resolveMethod(request, findMethod(request.method), grant, endpoint)
    const call = { grant, endpoint, request, signal, caches }
    const forwarded = await dispatch(call, destination, upstream, reservation)
    const { result } = JSON.parse(typeof forwarded === 'string' ? forwarded : '{}') as {
      readonly result?: unknown
    }
    return typeof result === 'string' && /^0x[0-9a-f]{1,13}$/i.test(result) ? Number(result) : undefined
  } catch {
    // The calls themselves report the error.
    return undefined
  } finally {
    reservation.release()
  }
}

function dependsOnLatest(item: RpcItem): boolean {
  if ('failure' in item) return false
  if (item.method === 'eth_blockNumber') return true
  const found = findMethod(item.method)
  return found !== undefined && Array.isArray(item.params) && latestParam(found, item.params) !== undefined
}
