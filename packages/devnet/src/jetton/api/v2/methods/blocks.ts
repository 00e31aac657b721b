import { writeHash } from '../../cells/hash.ts'
import { writeBlockId } from '../block-id.ts'
import { Failure } from '../../failure.ts'
import { invalid } from '../failure.ts'
import { firstBlock, namedBlock, shardBlocks } from '../find-block.ts'
import { reading, type Methods } from '../method.ts'
import { int32, int64, logicalTime, nonNegative, optional, optionalHash, positive } from '../parameters.ts'

// max_ext_msg_queue_size of a TON node.
const externalQueueLimit = 8000

const getShards = reading({ seqno: positive }, (chain, { seqno }) => ({
  '@type': 'blocks.shards',
  shards: shardBlocks(chain, seqno).map(writeBlockId),
}))

/** Methods about blocks. */
export const blockMethods: Methods = {
  getMasterchainInfo: reading({}, (chain) => ({
    '@type': 'blocks.masterchainInfo',
    last: writeBlockId(chain.head),
    // Blocks of this chain stand in for real network blocks: the root of the block identifies its state as well.
    state_root_hash: writeHash(chain.head.rootHash),
    init: writeBlockId(chain.genesis),
  })),
  getMasterchainBlockSignatures: reading({ seqno: positive }, () => {
    throw new Failure(501, 'an embedded chain has no validators, so its blocks bear no signatures')
  }),
  getShardBlockProof: reading(
    { workchain: int32, shard: int64, seqno: positive, from_seqno: optional(nonNegative) },
    () => {
      throw new Failure(501, 'an embedded chain has no validators, so its blocks have no proofs')
    },
  ),
  getConsensusBlock: reading({}, (chain) => ({
    '@type': 'ext.blocks.consensusBlock',
    consensus_block: chain.head.seqno,
    timestamp: Math.floor(Date.now() / 1000),
  })),
  lookupBlock: reading(
    {
      workchain: int32,
      shard: int64,
      seqno: optional(positive),
      lt: optional(logicalTime),
      unixtime: optional(nonNegative),
    },
    (chain, { workchain, shard, seqno, lt, unixtime }) => {
      if ([seqno, lt, unixtime].filter((value) => value !== undefined).length !== 1) {
        throw invalid('exactly one of seqno, lt, unixtime should be specified')
      }
      if (seqno !== undefined) return writeBlockId(namedBlock(chain, { workchain, shard, seqno }))
      const time = lt === undefined ? { unixtime: unixtime ?? 0 } : { lt }
      return writeBlockId(firstBlock(chain, workchain, shard, time))
    },
  ),
  shards: getShards,
  getShards,
  getBlockHeader: reading(
    { workchain: int32, shard: int64, seqno: positive, root_hash: optionalHash, file_hash: optionalHash },
    (chain, name) => {
      const block = namedBlock(chain, name)
      const previous = block.previous.flatMap((id) => chain.block(id) ?? [])
      return {
        '@type': 'blocks.header',
        id: writeBlockId(block),
        global_id: chain.globalId,
        version: 0,
        after_merge: false,
        after_split: false,
        before_split: false,
        want_merge: false,
        want_split: false,
        validator_list_hash_short: 0,
        catchain_seqno: 0,
        min_ref_mc_seqno: Math.max(0, block.masterSeqno - 1),
        is_key_block: false,
        prev_key_block_seqno: 0,
        start_lt: `${block.startLt}`,
        end_lt: `${block.endLt}`,
        gen_utime: block.genUtime,
        prev_blocks: previous.map(writeBlockId),
      }
    },
  ),
  getOutMsgQueueSize: reading({}, (chain) => ({
    '@type': 'blocks.outMsgQueueSizes',
    // A block processes all resulting messages, so no message is queued between two blocks.
    shards: [chain.head, ...shardBlocks(chain, chain.head.seqno)].map((block) => ({
      '@type': 'blocks.outMsgQueueSize',
      id: writeBlockId(block),
      size: 0,
    })),
    ext_msg_queue_size_limit: externalQueueLimit,
  })),
}
