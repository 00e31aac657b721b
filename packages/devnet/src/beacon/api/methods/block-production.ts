import type { Endpoints } from '@lodestar/api'
import type { ApplicationMethods } from '@lodestar/api/server'
import { ForkName } from '@lodestar/params'
import { signedBlindedBlockToFull } from '@lodestar/state-transition'
import {
  ProducedBlockSource,
  type ExecutionPayload,
  type fulu,
  type RootHex,
  type SignedBeaconBlock,
} from '@lodestar/types'
import { fromHex, toRootHex } from '@lodestar/utils'
import type { BeaconChain } from '../../chain/beacon-chain.ts'
import { Refused } from '../../chain/refused.ts'

type ProductionMethods = Pick<ApplicationMethods<Endpoints['validator']>, 'produceBlockV3'> &
  Pick<ApplicationMethods<Endpoints['beacon']>, 'publishBlockV2' | 'publishBlindedBlockV2'>

const broadcastValidations: readonly string[] = ['gossip', 'consensus', 'consensus_and_equivocation']
const graffitiBytes = 32
// A proposer publishes within its slot, so only a few payloads wait for their blinded blocks at a time.
const maxPendingPayloads = 16

/**
 * Creates the operations by which a validator produces and publishes a block.
 *
 * @param chain The chain to build on.
 * @returns The methods by operation id.
 */
export function createProductionMethods(chain: BeaconChain): ProductionMethods {
  const payloads = new Map<RootHex, ExecutionPayload>()

  function storePayload(payload: ExecutionPayload): void {
    payloads.set(toRootHex(payload.blockHash), payload)
    const [oldest] = payloads.keys()
    if (payloads.size > maxPendingPayloads && oldest !== undefined) payloads.delete(oldest)
  }

  async function importFuluBlock(signedBlock: SignedBeaconBlock): Promise<void> {
    if (!isOfFulu(signedBlock)) throw new Refused('The block must be a Fulu block.')
    await chain.importBlock(signedBlock)
  }

  return {
    async produceBlockV3({ slot, randaoReveal, graffiti, skipRandaoVerification = false }) {
      const { block, consensusValue, executionValue } = await chain.produceBlock({
        slot,
        randaoReveal,
        graffiti: graffiti === undefined ? new Uint8Array(graffitiBytes) : readGraffiti(graffiti),
        skipRandaoVerification,
      })
      storePayload(block.body.executionPayload)
      return {
        data: { block, kzgProofs: [], blobs: [] },
        meta: {
          version: ForkName.fulu,
          executionPayloadBlinded: false,
          executionPayloadSource: ProducedBlockSource.engine,
          executionPayloadValue: executionValue,
          consensusBlockValue: consensusValue,
        },
      }
    },
    async publishBlockV2({ signedBlockContents, broadcastValidation }) {
      requireBroadcastValidation(broadcastValidation)
      await importFuluBlock(signedBlockContents.signedBlock)
    },
    async publishBlindedBlockV2({ signedBlindedBlock, broadcastValidation }) {
      requireBroadcastValidation(broadcastValidation)
      const { body } = signedBlindedBlock.message
      const hash = 'executionPayloadHeader' in body ? toRootHex(body.executionPayloadHeader.blockHash) : ''
      const payload = payloads.get(hash)
      if (payload === undefined) {
        throw new Refused('The payload of the blinded block was not built here, or too long ago.')
      }
      const signedBlock = signedBlindedBlockToFull(ForkName.fulu, signedBlindedBlock, payload)
      await importFuluBlock(signedBlock)
    },
  }
}

function readGraffiti(hex: string): Uint8Array {
  if (!/^0x[a-fA-F0-9]{64}$/.test(hex)) throw new Refused('graffiti must be 32 bytes in hex.')
  return fromHex(hex)
}

function requireBroadcastValidation(value: string | undefined): void {
  if (value === undefined || broadcastValidations.includes(value)) return
  throw new Refused(`broadcast_validation must be one of ${broadcastValidations.join(', ')}.`)
}

// A request may name another fork in its header; its block is then decoded as a block of that fork.
function isOfFulu(block: SignedBeaconBlock): block is fulu.SignedBeaconBlock {
  return 'executionRequests' in block.message.body && 'executionPayload' in block.message.body
}
