import { malformed } from '../response/rpc-errors.ts'
import { validateParams } from '../methods/validate-params.ts'
import type { Adapter } from './adapter.ts'
import { isRecord } from '@fairlead/gateway-core/json'
import { nativeOrDerived } from './native-or-derived.ts'

/**
 * Returns the pool's transactions of one sender. For an upstream without the method, they are filtered from the full
 * pool.
 */
export const txpoolContentFrom: Adapter = {
  derivedFrom: ['txpool_content'],
  handle: ({ signal }, params, upstream) =>
    nativeOrDerived({ upstream, method: 'txpool_contentFrom', params, signal }, async () => {
      validateParams('txpool_contentFrom', params)
      const content = await upstream.call('txpool_content', [], signal)
      if (!isRecord(content)) throw malformed()
      const [sender] = params as [string]
      return { pending: ofSender(content['pending'], sender), queued: ofSender(content['queued'], sender) }
    }),
}

// Execution clients differ in the case of account addresses.
function ofSender(bySender: unknown, sender: string): unknown {
  if (!isRecord(bySender)) throw malformed()
  const senderAddress = sender.toLowerCase()
  const found = Object.entries(bySender).find(([address]) => address.toLowerCase() === senderAddress)
  return found?.[1] ?? {}
}
