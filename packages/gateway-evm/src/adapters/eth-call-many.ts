import type { Adapter } from './adapter.ts'
import { trimmed } from './empty-overrides.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/**
 * The default timeout of every execution client that has the parameter. It is omitted for clients without the
 * parameter.
 */
const usualTimeoutMs = 5_000

/**
 * Returns the results of calls in bundles. One execution client returns bytes without `0x`, another does not accept a
 * timeout.
 */
export const ethCallMany: Adapter = {
  answer: async ({ signal }, params, upstream) => {
    const said = params[3] === usualTimeoutMs ? params.slice(0, 3) : params
    return normalizeBundles(await upstream.call('eth_callMany', trimmed(said), signal))
  },
}

function normalizeBundles(bundles: unknown): unknown {
  return Array.isArray(bundles)
    ? bundles.map((results: unknown) => (Array.isArray(results) ? results.map(normalizeResult) : results))
    : bundles
}

function normalizeResult(result: unknown): unknown {
  if (!isRecord(result) || typeof result['value'] !== 'string' || result['value'].startsWith('0x'))
    return result
  return { ...result, value: `0x${result['value']}` }
}
