import { blockRow } from '../rows/block-row.ts'
import { Failure } from '../../failure.ts'
import { query } from '../operation.ts'
import { inOrder, isInside, pageOf, rowsOrNull } from '../page.ts'
import { hash, int32, page, required, shard, sort, window } from '../parameters.ts'
import type { Block, JettonChain } from '../../../chain/jetton-chain.ts'

const wholeWorkchain = 1n << 63n
const filters = {
  workchain: int32,
  shard,
  seqno: int32,
  root_hash: hash,
  file_hash: hash,
  mc_seqno: int32,
}

export const blockOperations = [
  query('masterchainInfo', {}, ({ chain }) => ({
    last: blockRow(chain, chain.head),
    first: blockRow(chain, chain.oldest),
  })),

  query('blocks', { ...filters, ...window, ...page, sort }, async ({ chain }, values) => {
    const { workchain, seqno, root_hash, file_hash, mc_seqno } = values
    const found = allBlocks(chain).filter(
      (block) =>
        (workchain === undefined || block.workchain === workchain) &&
        (values.shard === undefined || values.shard === wholeWorkchain) &&
        (seqno === undefined || block.seqno === seqno) &&
        (root_hash === undefined || block.rootHash.equals(root_hash)) &&
        (file_hash === undefined || block.fileHash.equals(file_hash)) &&
        (mc_seqno === undefined || block.masterSeqno === mc_seqno) &&
        isInside(values, block.genUtime, block.startLt),
    )
    return blocksAnswer(chain, await pageOf(inOrder(found, values.sort), values))
  }),

  query('masterchainBlockShardState', { seqno: required(int32) }, ({ chain }, { seqno }) => {
    // The shard block does not change in masterchain blocks that contain no new shard block.
    const latest = chain.blocks(0).findLast(({ masterSeqno }) => masterSeqno <= seqno)
    const isKnown = chain.block({ workchain: -1, seqno }) !== undefined
    return blocksAnswer(chain, requireBlocks(isKnown && latest !== undefined ? [latest] : [], seqno))
  }),

  query(
    'masterchainBlockShards',
    { seqno: required(int32), ...page },
    async ({ chain }, { seqno, ...wanted }) => {
      const blocks = allBlocks(chain).filter((block) => block.masterSeqno === seqno)
      return blocksAnswer(chain, requireBlocks(await pageOf(blocks, wanted), seqno))
    },
  ),
]

/** Returns all blocks, oldest first; a masterchain block follows the blocks that it refers to. */
function allBlocks(chain: JettonChain): Block[] {
  return [...chain.blocks(0), ...chain.blocks(-1)].toSorted(
    (left, right) => left.masterSeqno - right.masterSeqno || right.workchain - left.workchain,
  )
}

function blocksAnswer(chain: JettonChain, blocks: readonly Block[]) {
  return { blocks: rowsOrNull(blocks.map((block) => blockRow(chain, block))) }
}

function requireBlocks(blocks: readonly Block[], seqno: number): readonly Block[] {
  if (blocks.length === 0) throw new Failure(404, `blocks of masterchain block ${seqno} not found`)
  return blocks
}
