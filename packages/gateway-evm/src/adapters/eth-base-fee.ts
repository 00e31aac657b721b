import { malformed } from '../response/rpc-errors.ts'
import type { Adapter } from './adapter.ts'
import { nativeOrDerived } from './native-or-derived.ts'

/** Returns the base fee of the next block, which is the last entry of the fee history. */
export const ethBaseFee: Adapter = {
  derivedFrom: ['eth_feeHistory'],
  handle: ({ signal }, params, upstream) =>
    nativeOrDerived({ upstream, method: 'eth_baseFee', params, signal }, async () => {
      const history = await upstream.call('eth_feeHistory', ['0x1', 'latest', []], signal)
      const { baseFeePerGas } = history as { readonly baseFeePerGas?: readonly string[] }
      const next = baseFeePerGas?.at(-1)
      if (next === undefined) throw malformed()
      return next
    }),
}
