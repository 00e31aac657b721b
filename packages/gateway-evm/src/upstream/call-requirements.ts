import type { CallRequirements } from '@fairlead/gateway-core/upstream/select-upstream'
import type { BlockPosition } from '../methods/method-policy.ts'
import type { Call } from '../call.ts'

/** Observed state of the chain when the requirements of a call are determined. */
export interface ChainHeads {
  readonly head: number | undefined
  /** Number of blocks behind the chain head for which an ordinary upstream still has the state. */
  readonly archiveDepth: number
}

/**
 * Determines what a call requires of an upstream. A block hash does not reveal the age of its block.
 *
 * @param call - the call
 * @param chain - observed state of the chain; without a head no block number counts as old
 */
export function callRequirements(
  { policy, params }: Pick<Call, 'policy' | 'params'>,
  chain: ChainHeads,
): CallRequirements {
  const { role, lowestBlock, highestBlock } = policy
  const block = blockAt(lowestBlock ?? highestBlock, params)
  return {
    role: role === 'archive' && !isArchived(block, chain) ? 'full' : role,
    block,
    blocks: highestBlock?.field === undefined ? undefined : rangeSize(highestBlock, block, params, chain),
  }
}

/** Returns the number of blocks that a filter spans. Undefined for a block by its hash, and without a head for tags. */
function rangeSize(
  highestBlock: BlockPosition,
  lowest: number | undefined,
  params: readonly unknown[],
  { head }: ChainHeads,
): number | undefined {
  if (fieldOf(params[highestBlock.param], 'blockHash') !== undefined) return undefined
  const [from, to] = [lowest ?? head, blockAt(highestBlock, params) ?? head]
  return from === undefined || to === undefined ? undefined : Math.max(1, to - from + 1)
}

function isArchived(block: number | undefined, { head, archiveDepth }: ChainHeads): boolean {
  if (block === undefined) return false
  return block === 0 || (head !== undefined && block < head - archiveDepth)
}

function blockAt(position: BlockPosition | undefined, params: readonly unknown[]): number | undefined {
  if (!position) return undefined
  const value = params[position.param]
  return numberOf(position.field === undefined ? value : fieldOf(value, position.field))
}

function numberOf(block: unknown): number | undefined {
  const given = typeof block === 'object' ? fieldOf(block, 'blockNumber') : block
  if (typeof given === 'number') return given
  if (given === 'earliest') return 0
  return typeof given === 'string' && /^0x[0-9a-f]{1,13}$/i.test(given) ? Number(given) : undefined
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
