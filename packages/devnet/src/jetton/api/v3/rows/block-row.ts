import { writeHash } from '../../cells/hash.ts'
import type { Block, BlockId, JettonChain } from '../../../chain/jetton-chain.ts'

/** The shard that covers a whole workchain. */
export const wholeShard = '8000000000000000'

const noHash = writeHash(0n)

/** Formats the id of a block. */
export function blockIdRow({ workchain, seqno }: BlockId) {
  return { workchain, shard: wholeShard, seqno }
}

/** Formats a block; fields that depend on validators and several shards are constant on this chain. */
export function blockRow(chain: JettonChain, block: Block) {
  const isMaster = block.workchain === -1
  return {
    ...blockIdRow(block),
    root_hash: writeHash(block.rootHash),
    file_hash: writeHash(block.fileHash),
    global_id: chain.globalId,
    version: 0,
    after_merge: false,
    before_split: false,
    after_split: false,
    want_merge: false,
    want_split: false,
    key_block: false,
    vert_seqno_incr: false,
    flags: 0,
    gen_utime: String(block.genUtime),
    start_lt: String(block.startLt),
    end_lt: String(block.endLt),
    validator_list_hash_short: 0,
    gen_catchain_seqno: 0,
    min_ref_mc_seqno: Math.max(0, block.masterSeqno - 1),
    prev_key_block_seqno: 0,
    vert_seqno: 0,
    master_ref_seqno: isMaster ? 0 : Math.max(0, block.masterSeqno - 1),
    rand_seed: noHash,
    created_by: noHash,
    tx_count: block.transactions.length,
    masterchain_block_ref: blockIdRow({ workchain: -1, seqno: block.masterSeqno }),
    prev_blocks: block.previous.map(blockIdRow),
  }
}
