import type { CancellationSignal } from '@fairlead/http1'
import type { Upstream } from '../upstream/types.ts'
import { isRecord } from '@fairlead/gateway-core/json'

/**
 * The number of a block as a JSON number, which every client takes where explorers ask for a block.
 *
 * @param block - a number, quantity, tag, or anything else that the node may judge
 * @returns null when the tag belongs to no block
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

/** The hash in a block parameter that is one, bare or as an object. */
export function blockHashOf(block: unknown): string | undefined {
  const hash = isRecord(block) ? block['blockHash'] : block
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash) ? hash : undefined
}
