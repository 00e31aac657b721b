import type { CancellationSignal } from '@fairlead/runtime'
import type { Upstream } from '../upstream/types.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/**
 * Converts a block parameter to a JSON number, which every execution client accepts in the block explorer methods.
 *
 * @param block - a number, quantity or tag; any other value is returned unchanged, for the upstream to validate
 * @returns null when no block has the tag
 */
export async function blockInteger(
  block: unknown,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<unknown> {
  if (typeof block !== 'string') return block
  if (/^0x[0-9a-f]{1,13}$/i.test(block)) return Number(block)
  if (!/^[a-z]+$/.test(block)) return block
  const found = await upstream.call('eth_getBlockByNumber', [block, false], signal)
  return isRecord(found) ? Number(found['number']) : null
}

/** Returns the hash in a block parameter that is a hash, as a string or as an object. */
export function blockHashOf(block: unknown): string | undefined {
  const hash = isRecord(block) ? block['blockHash'] : block
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash) ? hash : undefined
}
