import type { CancellationSignal } from '@fairlead/runtime'
import { RpcError } from '@fairlead/gateway-core/json-rpc/rpc-error'
import { rpcCodes } from '../../rpc-codes.ts'
import type { Upstream } from '../../upstream/types.ts'
import { blockInteger } from '../../adapters/block-number.ts'

/** Range of blocks from the first to the last one, both inclusive. */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/** A filter that names a range of blocks. */
export type Filter = Readonly<Record<string, unknown>>

/** Whether a filter may span several blocks. The upstream validates what is not a range. */
export function hasRange({ fromBlock, toBlock, blockHash }: Filter): boolean {
  return blockHash === undefined && (fromBlock ?? 'latest') !== (toBlock ?? 'latest')
}

/**
 * Returns the range of a filter and resolves the chain head once. Returns undefined for a filter without a valid range.
 */
export async function rangeOf(
  filter: Filter,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<BlockRange | undefined> {
  const { fromBlock, toBlock } = filter
  if (![fromBlock, toBlock].every((block) => isBlock(block ?? 'latest'))) return undefined
  const range = await numbersOf(filter, upstream, signal)
  return range.from <= range.to ? range : undefined
}

/**
 * Resolves the first and the last block of a filter.
 *
 * @throws {@link RpcError} -32602 when one of them is not a block
 */
export async function numbersOf(
  { fromBlock, toBlock }: Filter,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<BlockRange> {
  const [from, to] = await Promise.all([
    numberOf('fromBlock', fromBlock ?? 'latest', upstream, signal),
    numberOf('toBlock', toBlock ?? 'latest', upstream, signal),
  ])
  return { from, to }
}

async function numberOf(
  field: string,
  block: unknown,
  upstream: Upstream,
  signal: CancellationSignal,
): Promise<number> {
  if (!isBlock(block)) {
    throw new RpcError(rpcCodes.invalidParams, `${field} must be a quantity or a block tag.`)
  }
  if (block === 'earliest') return 0
  const number = block === 'pending' ? null : await blockInteger(block, upstream, signal)
  return Number(number ?? (await upstream.call('eth_blockNumber', [], signal)))
}

function isBlock(block: unknown): boolean {
  return (
    typeof block === 'string' &&
    /^(?:0x[0-9a-fA-F]{1,13}|earliest|latest|pending|safe|finalized)$/.test(block)
  )
}

/** Writes a block number as a quantity. */
export function hex(number: number): string {
  return `0x${number.toString(16)}`
}
