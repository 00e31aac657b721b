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

/**
 * The forms of a block in a stream: its header, or the block with the hashes or the full objects of its transactions.
 */
export interface BlockForms {
  headers: BlockHeader
  hashes: BlockWithHashes
  full: BlockWithTransactions
}

/** The events of {@link watchBlocks}. */
export type BlockEvent<block = BlockHeader> =
  /** A block that follows the previously delivered one. */
  | { readonly type: 'block'; readonly block: block }
  /** Delivered blocks have been reorged out; their replacements follow. */
  | {
      readonly type: 'reorg'
      /** Newest first. */
      readonly removed: readonly BlockHeader[]
      /** The latest block that remains. */
      readonly commonAncestor: BlockPosition
    }

/** Options of {@link watchBlocks}. */
export interface WatchBlocksOptions<emit extends keyof BlockForms = 'headers'> extends FollowOptions {
  /** Default `headers`, which needs no further request when the node pushes them. */
  readonly emit?: emit | undefined
  /**
   * The first block to deliver, by number; or the last block that was delivered before, by number and hash, to resume
   * after it. Default: the latest block.
   */
  readonly from?: number | bigint | Quantity | BlockPosition | undefined
}

/**
 * Follows the chain: delivers every block once and in order, and the blocks that a reorganization removes.
 *
 * Parent hashes prove that no block is missing. Blocks that a node did not announce, or that appeared while a
 * connection was down, are requested. New blocks come from a subscription if the transport supports it, and from
 * polling otherwise. The stream waits for its reader, unless it has a `buffer`.
 *
 * @param source - a client or a transport
 * @param options - start position, form of the blocks, and how to follow
 * @returns an endless stream; it ends when its reader stops or the signal aborts
 * @throws FairleadError `CONFIG_INVALID`. While it is read: `STREAM_GAP` when a reorganization is deeper than `window`,
 *   `STREAM_OVERFLOW`, and errors of a request after all `retries`
 * @example
 * ```ts
 * for await (const event of watchBlocks(evm, { confirmations: 2 })) {
 *   if (event.type === 'block') console.log(event.block.number)
 *   else console.log('reorged out', event.removed.length)
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
