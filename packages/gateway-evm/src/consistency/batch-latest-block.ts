import { promised } from '@fairlead/runtime'
import { type Batch, type ClientContext, resolvedCall } from '../methods/resolve-method.ts'
import { beginDispatch } from '../dispatch/dispatch.ts'
import type { ClientCall } from '../client-call.ts'
import type { UpstreamResponse } from '../response/upstream-response.ts'
import { latestParam } from './latest-param.ts'

/**
 * Returns a function that reads the latest block once for all calls of a batch, so that they respond from the same
 * state.
 *
 * @param calls - the calls, which need not be admitted yet
 * @param context - context of the batch
 * @returns undefined when fewer than two calls depend on it
 */
export function batchLatestBlock(
  calls: readonly Pick<ClientCall, 'request' | 'found'>[],
  context: ClientContext,
): Batch['latest'] {
  const first = context.caches ? calls.findIndex(dependsOnLatest) : -1
  if (first < 0 || !calls.some((call, at) => at > first && dependsOnLatest(call))) return undefined
  let read: Promise<number | undefined> | undefined
  // Runs only after a call was admitted.
  return () => (read ??= latestOf(context))
}

async function latestOf(context: ClientContext): Promise<number | undefined> {
  const request = { method: 'eth_blockNumber', params: [], paramsText: '[]', idText: '1' }
  const reservation = context.upstream.reserve()
  try {
    const call = resolvedCall(request, context)
    const forwarded = await promised<string | UpstreamResponse>((completion) =>
      beginDispatch(call, completion, reservation),
    )
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

function dependsOnLatest({ request, found }: Pick<ClientCall, 'request' | 'found'>): boolean {
  const { method, params } = request
  if (method === 'eth_blockNumber') return true
  return Array.isArray(params) && latestParam(found, params) !== undefined
}
