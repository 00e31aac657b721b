import type { Adapter } from './adapter.ts'
import { trimmed } from './empty-overrides.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/**
 * The default timeout of every execution client that has the parameter. It is omitted for clients without the
 * parameter.
 */
const defaultTimeoutMs = 5_000

/**
 * Returns the results of calls in bundles. One execution client returns bytes without `0x`, another does not accept a
 * timeout.
 */
export const ethCallMany: Adapter = {
  handle: async ({ signal }, params, upstream) => {
    const forwarded = params[3] === defaultTimeoutMs ? params.slice(0, 3) : params
    return normalizeBundles(await upstream.call('eth_callMany', trimmed(forwarded), signal))
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
