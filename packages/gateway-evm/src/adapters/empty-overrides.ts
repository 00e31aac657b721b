import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/** Removes empty overrides. Some execution clients accept fewer parameters, or expect another one in that position. */
export const ethCall = withoutEmptyOverrides('eth_call')
/** As {@link ethCall}. */
export const ethEstimateGas = withoutEmptyOverrides('eth_estimateGas')

/** Returns the params without the empty overrides at their end. */
export function trimmed(params: readonly unknown[]): readonly unknown[] {
  const last = params.findLastIndex((param, at) => at < 2 || !isEmpty(param))
  return params.slice(0, last + 1)
}

function withoutEmptyOverrides(method: string): Adapter {
  return {
    handle: ({ signal }, params, upstream) => {
      const short = trimmed(params)
      return short.length === params.length ? undefined : upstream.call(method, short, signal)
    },
  }
}

function isEmpty(param: unknown): boolean {
  return param === null || (isRecord(param) && Object.keys(param).length === 0)
}
