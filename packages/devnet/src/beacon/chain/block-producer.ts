import { ForkSeq } from '@lodestar/params'
import {
  computeEpochAtSlot,
  computeTimeAtSlot,
  DataAvailabilityStatus,
  ExecutionPayloadStatus,
  getExpectedWithdrawals,
  getRandaoMix,
  stateTransition,
  type CachedBeaconStateElectra,
  type CachedBeaconStateFulu,
} from '@lodestar/state-transition'
import { ssz, type fulu, type RootHex, type Slot, type ValidatorIndex } from '@lodestar/types'
import { fromHex, toRootHex } from '@lodestar/utils'
import type { AttestationPool } from './attestation-pool.ts'
import type { ChainParts } from './chain-parts.ts'
import type { PayloadAttributes } from './execution-layer.ts'
import type { Pools } from './pools.ts'
import type { SyncCommitteePool } from './sync-committee-pool.ts'

const weiPerGwei = 1_000_000_000n
const noSignature = new Uint8Array(96)

/** The content of a block that does not come from the state. */
export interface BlockRequest {
  readonly slot: Slot
  readonly parentRoot: RootHex
  /** The state of the parent, advanced to the slot. */
  readonly state: CachedBeaconStateFulu
  readonly randaoReveal: Uint8Array
  /** 32 bytes. */
  readonly graffiti: Uint8Array
  /** The votes that the proposer has received. */
  readonly pools: { readonly votes: AttestationPool; readonly syncCommittee: SyncCommitteePool }
  /** Whether the payload gets a wrong state root. */
  readonly isFaulty?: boolean | undefined
}

/** A block and its post-state. */
export interface BuiltBlock {
  readonly block: fulu.BeaconBlock
  readonly postState: CachedBeaconStateFulu
  /** The reward of the proposer on the consensus layer, in Wei. */
  readonly consensusValue: bigint
}

/** Builds blocks (consensus-specs, validator guide). */
export class BlockProducer {
  readonly #parts: ChainParts
  readonly #pools: Pools
  readonly #feeRecipients = new Map<ValidatorIndex, string>()

  constructor(of: { parts: ChainParts; pools: Pools }) {
    this.#parts = of.parts
    this.#pools = of.pools
  }

  /** Sets the fee recipient, 0x and 40 hex digits, of a proposer. */
  prepare(validator: ValidatorIndex, feeRecipient: string): void {
    this.#feeRecipients.set(validator, feeRecipient)
  }

  /**
   * @param state A state, advanced to the slot of the block.
   * @param parentRoot The parent of the block.
   * @returns The attributes of the payload of the block.
   */
  attributes(state: CachedBeaconStateFulu, parentRoot: RootHex): PayloadAttributes {
    const proposer = state.epochCtx.getBeaconProposer(state.slot)
    return {
      timestamp: computeTimeAtSlot(state.config, state.slot, state.genesisTime),
      prevRandao: getRandaoMix(state, computeEpochAtSlot(state.slot)),
      suggestedFeeRecipient: this.#feeRecipients.get(proposer) ?? interopFeeRecipient(proposer),
      withdrawals: getExpectedWithdrawals(ForkSeq.fulu, state as unknown as CachedBeaconStateElectra)
        .expectedWithdrawals,
      parentBeaconBlockRoot: fromHex(parentRoot),
    }
  }

  async build(request: BlockRequest): Promise<BuiltBlock> {
    const { slot, parentRoot, state, pools } = request
    const { execution } = this.#parts
    const parentBeaconBlockRoot = fromHex(parentRoot)
    const executionRequests = ssz.electra.ExecutionRequests.defaultValue()
    const parentHash = toRootHex(state.latestExecutionPayloadHeader.blockHash)
    const payload = await execution.build(parentHash, this.attributes(state, parentRoot))
    const block: fulu.BeaconBlock = {
      slot,
      proposerIndex: state.epochCtx.getBeaconProposer(slot),
      parentRoot: parentBeaconBlockRoot,
      stateRoot: new Uint8Array(32),
      body: {
        randaoReveal: request.randaoReveal,
        eth1Data: state.eth1Data.toValue(),
        graffiti: request.graffiti,
        ...this.#pools.forBlock(state),
        attestations: pools.votes.forBlock(state),
        deposits: [],
        syncAggregate: pools.syncCommittee.aggregate(slot - 1, parentRoot),
        executionPayload:
          request.isFaulty === true ? execution.corrupt(toRootHex(payload.blockHash)) : payload,
        blobKzgCommitments: [],
        executionRequests,
      },
    }
    const postState = stateTransition(
      state,
      { message: block, signature: noSignature },
      {
        verifyStateRoot: false,
        verifyProposer: false,
        verifySignatures: false,
        executionPayloadStatus: ExecutionPayloadStatus.valid,
        dataAvailabilityStatus: DataAvailabilityStatus.Available,
      },
    ) as CachedBeaconStateFulu
    // The block must not be hashed earlier: the library caches the root on the value.
    block.stateRoot = postState.hashTreeRoot()
    const { attestations, syncAggregate, slashing } = postState.proposerRewards
    return { block, postState, consensusValue: BigInt(attestations + syncAggregate + slashing) * weiPerGwei }
  }
}

// An account address that contains the validator's index.
function interopFeeRecipient(validator: ValidatorIndex): string {
  return `0xfee${validator.toString(16).padStart(37, '0')}`
}
