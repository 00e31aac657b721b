import type { Block } from '../../chain/jetton-chain.ts'
import { writeHash } from '../cells/hash.ts'

/** The shard that is a whole workchain: only the first of 64 bits is set. */
export const wholeWorkchain = -(2n ** 63n)

/**
 * Writes the id of a block.
 *
 * @param block The block.
 * @returns `ton.blockIdExt` of the interface.
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
 * Writes what names a transaction of an account.
 *
 * @param lt Its logical time.
 * @param hash Its hash, 32 bytes or the number that they are.
 * @returns `internal.transactionId` of the interface.
 */
export function writeTransactionId(lt: bigint, hash: Buffer | bigint): object {
  return { '@type': 'internal.transactionId', lt: `${lt}`, hash: writeHash(hash) }
}
