import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import { blindedOrFullBlockToHeader, signedBeaconBlockToBlinded } from '@lodestar/state-transition'
import { fromHex } from '@lodestar/utils'
import type { BeaconChain, BlockRecord } from '../../chain/beacon-chain.ts'
import { Refused } from '../../chain/refused.ts'
import { finalityFlags, versionedFlags } from '../finality-flags.ts'

type BlockMethods = Pick<
  ApplicationMethods<Endpoints['beacon']>,
  | 'getBlockV2'
  | 'getBlindedBlock'
  | 'getBlockAttestationsV2'
  | 'getBlockHeader'
  | 'getBlockHeaders'
  | 'getBlockRoot'
  | 'getBlobSidecars'
  | 'getBlobs'
>

const hashPattern = /^0x[a-fA-F0-9]{64}$/

/**
 * Creates the operations of `/eth/v1/beacon` that read blocks.
 *
 * No block of this chain carries blobs, so the lists of blobs are empty.
 *
 * @param chain The chain to read from.
 * @returns The methods by operation id.
 */
export function createBlockMethods(chain: BeaconChain): BlockMethods {
  const header = (record: BlockRecord) => ({
    root: fromHex(record.root),
    canonical: record.canonical,
    header: {
      message: blindedOrFullBlockToHeader(chain.config, record.block.message),
      signature: record.block.signature,
    },
  })

  return {
    async getBlockV2({ blockId }) {
      const record = chain.block(blockId)
      return { data: record.block, meta: versionedFlags(record) }
    },
    async getBlindedBlock({ blockId }) {
      const record = chain.block(blockId)
      return {
        data: signedBeaconBlockToBlinded(chain.config, record.block),
        meta: versionedFlags(record),
      }
    },
    async getBlockAttestationsV2({ blockId }) {
      const record = chain.block(blockId)
      return { data: record.block.message.body.attestations, meta: versionedFlags(record) }
    },
    async getBlockHeader({ blockId }) {
      const record = chain.block(blockId)
      return { data: header(record), meta: finalityFlags(record) }
    },
    async getBlockHeaders({ slot, parentRoot }) {
      if (parentRoot !== undefined && !hashPattern.test(parentRoot)) {
        throw new Refused('parent_root must be a root of 32 bytes in hex.')
      }
      const records = (
        parentRoot === undefined
          ? chain.blocksAtSlot(slot ?? chain.head.block.message.slot)
          : chain.blocksByParent(parentRoot)
      ).filter((record) => slot === undefined || record.block.message.slot === slot)
      return {
        data: records.map(header),
        meta: {
          executionOptimistic: records.some((record) => finalityFlags(record).executionOptimistic),
          finalized: records.length > 0 && records.every((record) => record.finalized),
        },
      }
    },
    async getBlockRoot({ blockId }) {
      const record = chain.block(blockId)
      return { data: { root: fromHex(record.root) }, meta: finalityFlags(record) }
    },
    async getBlobSidecars({ blockId }) {
      return { data: [], meta: versionedFlags(chain.block(blockId)) }
    },
    async getBlobs({ blockId, versionedHashes }) {
      if (versionedHashes?.some((hash) => !hashPattern.test(hash)) ?? false) {
        throw new Refused('Each of versioned_hashes must be 32 bytes in hex.')
      }
      return { data: [], meta: finalityFlags(chain.block(blockId)) }
    },
  }
}
