import type { BlockHeader, BlockWithHashes, BlockWithTransactions, Quantity } from '../generated/index.ts'
import {
  type BlockPosition,
  checkFollowOptions,
  follow,
  type Followed,
  type FollowOptions,
  startOf,
} from './follow.ts'
import type { StreamSource } from './source.ts'
import { type Stream, streamOf } from './stream.ts'

/** How much of a block a stream gives: its header, or the block with the hashes or the whole of its transactions. */
export interface BlockForms {
  headers: BlockHeader
  hashes: BlockWithHashes
  full: BlockWithTransactions
}

/** What {@link watchBlocks} gives. */
export type BlockEvent<block = BlockHeader> =
  /** A block that follows on the one delivered before it. */
  | { readonly type: 'block'; readonly block: block }
  /** Delivered blocks have left the chain; the blocks in their place follow. */
  | {
      readonly type: 'reorg'
      /** Newest first. */
      readonly removed: readonly BlockHeader[]
      /** The newest block that stays. */
      readonly commonAncestor: BlockPosition
    }

/** Settings of {@link watchBlocks}. */
export interface WatchBlocksOptions<emit extends keyof BlockForms = 'headers'> extends FollowOptions {
  /** Default `headers`, which costs no further request where the node pushes them. */
  readonly emit?: emit | undefined
  /**
   * The first block to deliver, by number; or the last block that was delivered before, by number and hash, to go on after
   * it. Left out, the newest block comes first.
   */
  readonly from?: number | bigint | Quantity | BlockPosition | undefined
}

/**
 * Follows the chain: every block once, in order, and what a reorganization takes off again.
 *
 * Parent hashes prove that nothing is missing. Blocks that a node did not announce, or that came while a connection was
 * down, are asked for. New blocks are heard by subscription where the transport has one, and by polling elsewhere. The
 * stream goes at the pace of its reader, unless it has a `buffer`.
 *
 * @param source - a client or a transport
 * @param options - where to begin, what to give and how to follow
 * @returns an endless stream; it ends when its reader leaves or the signal aborts
 * @throws FairleadError `CONFIG_INVALID`; while it is read `STREAM_GAP` when a reorganization is deeper than `window`,
 * `STREAM_OVERFLOW`, and what a request throws after all `retries`
 * @example
 * ```ts
 * for await (const event of watchBlocks(evm, { confirmations: 2 })) {
 *   if (event.type === 'block') console.log(event.block.number)
 *   else console.log('taken back', event.removed.length)
 * }
 * ```
 * @see specs/evm/openrpc.yaml, eth_subscribe and eth_getBlockByNumber
 */
export function watchBlocks<const emit extends keyof BlockForms = 'headers'>(
  source: StreamSource,
  options: WatchBlocksOptions<emit> = {},
): Stream<BlockEvent<BlockForms[emit]>> {
  type block = BlockForms[emit]
  const operation = 'watchBlocks'
  checkFollowOptions(options)
  const from = startOf(options.from)
  const emit: keyof BlockForms = options.emit ?? 'headers'
  const headers = emit === 'headers'
  const load = (block: unknown, header: BlockHeader) => (headers ? header : block) as block
  const plan = { operation, full: emit === 'full', headerSuffices: headers, ranges: false, from, load }
  return streamOf(operation, options, (signal) => events(follow(source, options, plan, signal)))
}

async function* events<block>(
  followed: AsyncIterable<Followed<block>>,
): AsyncGenerator<BlockEvent<block>, void, undefined> {
  for await (const event of followed) {
    if (event.type === 'block') yield { type: 'block', block: event.loaded }
    else if (event.type === 'reorg') yield event
  }
}
