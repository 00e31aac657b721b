import type { Adapter } from './adapter.ts'
import { trimmed } from './empty-overrides.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/** What every node takes that knows the parameter, so that others need not hear of it. */
const usualTimeoutMs = 5_000

/** Results of the calls in bundles; a client writes the returned bytes without `0x`, another takes no timeout. */
export const ethCallMany: Adapter = {
  answer: async ({ signal }, params, upstream) => {
    const said = params[3] === usualTimeoutMs ? params.slice(0, 3) : params
    return mendBundles(await upstream.call('eth_callMany', trimmed(said), signal))
  },
}

function mendBundles(bundles: unknown): unknown {
  return Array.isArray(bundles)
    ? bundles.map((results: unknown) => (Array.isArray(results) ? results.map(mendResult) : results))
    : bundles
}

function mendResult(result: unknown): unknown {
  if (!isRecord(result) || typeof result['value'] !== 'string' || result['value'].startsWith('0x'))
    return result
  return { ...result, value: `0x${result['value']}` }
}
