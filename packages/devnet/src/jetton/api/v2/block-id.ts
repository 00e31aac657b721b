import type { Block } from '../../chain/jetton-chain.ts'
import { writeHash } from '../cells/hash.ts'

/** The shard that covers a whole workchain: only the first of 64 bits is set. */
export const wholeWorkchain = -(2n ** 63n)

/**
 * Formats the id of a block.
 *
 * @param block The block.
 * @returns `ton.blockIdExt` of the API.
 */
export function writeBlockId(block: Block): object {
  return {
    '@type': 'ton.blockIdExt',
    workchain: block.workchain,
    shard: `${wholeWorkchain}`,
    seqno: block.seqno,
    root_hash: writeHash(block.rootHash),
    file_hash: writeHash(block.fileHash),
  }
}

/**
 * Formats the id of a transaction of an account.
 *
 * @param lt Its logical time.
 * @param hash Its hash, as 32 bytes or as a number.
 * @returns `internal.transactionId` of the API.
 */
export function writeTransactionId(lt: bigint, hash: Buffer | bigint): object {
  return { '@type': 'internal.transactionId', lt: `${lt}`, hash: writeHash(hash) }
}
