import type { Block, JettonChain } from '../../chain/jetton-chain.ts'
import { wholeWorkchain } from './block-id.ts'
import { liteServerFailure } from './failure.ts'

const masterchain = -1

/** The name of a block; the hashes are checked when both are present. */
export interface BlockName {
  readonly workchain: number
  readonly shard: bigint
  readonly seqno: number
  readonly root_hash?: Buffer | undefined
  readonly file_hash?: Buffer | undefined
}

/**
 * Finds a block of the masterchain by its number.
 *
 * @throws {@link Failure} when the chain does not have the block, or no longer has it.
 */
export function masterBlock(chain: JettonChain, seqno: number): Block {
  return namedBlock(chain, { workchain: masterchain, shard: wholeWorkchain, seqno })
}

/**
 * Finds a block by its name.
 *
 * @throws {@link Failure} when the chain does not have the block, or no longer has it.
 */
export function namedBlock(chain: JettonChain, name: BlockName): Block {
  const { workchain, shard, seqno, root_hash, file_hash } = name
  const block = shard === wholeWorkchain ? chain.block({ workchain, seqno }) : undefined
  const sibling =
    root_hash !== undefined &&
    file_hash !== undefined &&
    !(block?.rootHash.equals(root_hash) === true && block.fileHash.equals(file_hash))
  if (block === undefined || sibling) {
    throw liteServerFailure(`cannot find block ${describe(workchain, shard, seqno)} : block is not in db`)
  }
  return block
}

/** A logical time, or Unix seconds. */
export type PointInTime = { readonly lt: bigint } | { readonly unixtime: number }

/**
 * Finds the first block of a shard that ends at or after a time.
 *
 * @throws {@link Failure} when there is none yet, or the blocks of that time are no longer stored.
 */
export function firstBlock(chain: JettonChain, workchain: number, shard: bigint, time: PointInTime): Block {
  const blocks = shard === wholeWorkchain ? chain.blocks(workchain) : []
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const block = blocks[middle]
    if (block !== undefined && reaches(block, time)) high = middle
    else low = middle + 1
  }
  const [before, found] = [blocks[low - 1], blocks[low]]
  if (found === undefined || !(areNeighbours(before, found) || covers(found, time))) {
    throw liteServerFailure('ltdb: block not found')
  }
  return found
}

function reaches(block: Block, time: PointInTime): boolean {
  return 'lt' in time ? block.endLt >= time.lt : block.genUtime >= time.unixtime
}

function covers(block: Block, time: PointInTime): boolean {
  return 'lt' in time && block.startLt <= time.lt
}

/**
 * Returns the shard blocks that a masterchain block refers to.
 *
 * @throws {@link Failure} when they are no longer stored.
 */
export function shardBlocks(chain: JettonChain, seqno: number): readonly Block[] {
  const master = masterBlock(chain, seqno)
  const blocks = chain.blocks(0)
  const position = blocks.findLastIndex(({ masterSeqno }) => masterSeqno <= master.seqno)
  const [found, after] = [blocks[position], blocks[position + 1]]
  if (found === undefined || !areNeighbours(found, after)) {
    throw liteServerFailure(`state of block ${seqno} is already gc'd`)
  }
  return [found]
}

// Blocks between two stored ones may have been removed.
function areNeighbours(before: Block | undefined, after: Block | undefined): boolean {
  return before === undefined || after === undefined || before.seqno + 1 === after.seqno
}

function describe(workchain: number, shard: bigint, seqno: number): string {
  return `(${workchain},${BigInt.asUintN(64, shard).toString(16).padStart(16, '0')},${seqno})`
}
