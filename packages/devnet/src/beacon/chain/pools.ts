import {
  MAX_ATTESTER_SLASHINGS_ELECTRA,
  MAX_BLS_TO_EXECUTION_CHANGES,
  MAX_PROPOSER_SLASHINGS,
  MAX_VOLUNTARY_EXITS,
} from '@lodestar/params'
import { getAttesterSlashableIndices, type CachedBeaconStateFulu } from '@lodestar/state-transition'
import type { altair, capella, electra, phase0 } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import { AttestationPool, type CommitteeVotes } from './attestation-pool.ts'
import type { MessageIntake, OperationPool, OperationPools } from './beacon-chain.ts'
import { currentHeadState, type ChainParts } from './chain-parts.ts'
import {
  verifyAggregateAndProof,
  verifyContributionAndProof,
  verifySingleAttestation,
  verifySyncCommitteeMessage,
  type GossipContext,
} from './gossip-rules.ts'
import { attesterSlashing, blsToExecutionChange, proposerSlashing, voluntaryExit } from './operation-kinds.ts'
import { PendingOperations } from './operation-pool.ts'
import { Refused } from './refused.ts'
import { SyncCommitteePool, type SubcommitteeVotes } from './sync-committee-pool.ts'

type Operations = Pick<
  electra.BeaconBlockBody,
  'proposerSlashings' | 'attesterSlashings' | 'voluntaryExits' | 'blsToExecutionChanges'
>

/**
 * The pools of the chain: they verify incoming messages, pass them to the fork choice and to listeners, and store them
 * for blocks.
 */
export class Pools implements OperationPools {
  /** Votes that the next block may contain. */
  readonly votes = new AttestationPool()
  /** Signatures that the next block may contain. */
  readonly syncCommittee = new SyncCommitteePool()
  readonly #parts: ChainParts
  readonly #exits = new PendingOperations(voluntaryExit, MAX_VOLUNTARY_EXITS)
  readonly #proposerSlashings = new PendingOperations(proposerSlashing, MAX_PROPOSER_SLASHINGS)
  readonly #attesterSlashings = new PendingOperations(attesterSlashing, MAX_ATTESTER_SLASHINGS_ELECTRA)
  readonly #changes = new PendingOperations(blsToExecutionChange, MAX_BLS_TO_EXECUTION_CHANGES)

  constructor(parts: ChainParts) {
    this.#parts = parts
  }

  readonly attestations: OperationPool<electra.SingleAttestation, electra.Attestation> = {
    add: (attestation) => {
      const votes = verifySingleAttestation(this.#gossip(), attestation)
      const [position = -1] = votes.positions
      if (this.votes.has(votes.data, votes.committeeIndex, position)) return
      this.addVotes(votes, [attestation.attesterIndex])
      this.#parts.events.emit('single_attestation', attestation)
    },
    all: () => this.votes.all(),
  }

  readonly aggregates: MessageIntake<electra.SignedAggregateAndProof> = {
    add: (signed) => {
      const context = this.#gossip()
      const votes = verifyAggregateAndProof(context, signed)
      const committee = context.state.epochCtx.getBeaconCommittee(votes.data.slot, votes.committeeIndex)
      this.addVotes(
        votes,
        votes.positions.flatMap((position) => committee[position] ?? []),
      )
      this.#parts.events.emit('attestation', signed.message.aggregate)
    },
  }

  readonly syncCommitteeMessages: MessageIntake<altair.SyncCommitteeMessage> = {
    add: (message) => {
      this.#addSyncCommitteeVotes(verifySyncCommitteeMessage(this.#gossip(), message))
    },
  }

  readonly contributions: MessageIntake<altair.SignedContributionAndProof> = {
    add: (signed) => {
      this.#addSyncCommitteeVotes([verifyContributionAndProof(this.#gossip(), signed)])
      this.#parts.events.emit('contribution_and_proof', signed)
    },
  }

  readonly voluntaryExits: OperationPool<phase0.SignedVoluntaryExit> = {
    add: (exit) => {
      if (this.#exits.add(currentHeadState(this.#parts), exit))
        this.#parts.events.emit('voluntary_exit', exit)
    },
    all: () => this.#exits.all(),
  }

  readonly proposerSlashings: OperationPool<phase0.ProposerSlashing> = {
    add: (slashing) => {
      if (!this.#proposerSlashings.add(currentHeadState(this.#parts), slashing)) return
      this.#parts.events.emit('proposer_slashing', slashing)
    },
    all: () => this.#proposerSlashings.all(),
  }

  readonly attesterSlashings: OperationPool<electra.AttesterSlashing> = {
    add: (slashing) => {
      if (!this.#attesterSlashings.add(currentHeadState(this.#parts), slashing)) return
      this.#parts.forkChoice.onEquivocation(getAttesterSlashableIndices(slashing))
      this.#parts.events.emit('attester_slashing', slashing)
    },
    all: () => this.#attesterSlashings.all(),
  }

  readonly blsToExecutionChanges: OperationPool<capella.SignedBLSToExecutionChange> = {
    add: (change) => {
      if (!this.#changes.add(currentHeadState(this.#parts), change)) return
      this.#parts.events.emit('bls_to_execution_change', change)
    },
    all: () => this.#changes.all(),
  }

  /** Adds votes that are already verified. */
  addVotes(votes: CommitteeVotes, attesters: number[]): void {
    const { data } = votes
    this.votes.add(votes)
    this.#parts.forkChoice.onAttestation(attesters, {
      slot: data.slot,
      targetEpoch: data.target.epoch,
      blockRoot: toRootHex(data.beaconBlockRoot),
    })
    this.#parts.liveness.record(data.target.epoch, attesters)
  }

  /**
   * Selects operations for a block.
   *
   * @param state The state of the parent, advanced to the slot of the block.
   * @returns Operations that do not conflict with each other.
   */
  forBlock(state: CachedBeaconStateFulu): Operations {
    const affected = new Set<number>()
    return {
      proposerSlashings: this.#proposerSlashings.forBlock(state, affected),
      attesterSlashings: this.#attesterSlashings.forBlock(state, affected),
      voluntaryExits: this.#exits.forBlock(state, affected),
      blsToExecutionChanges: this.#changes.forBlock(state, affected),
    }
  }

  /** Returns the operations of a block that is no longer canonical to the pools. */
  restore(body: Operations): void {
    const state = currentHeadState(this.#parts)
    const again = <item>(pool: PendingOperations<item>, items: readonly item[]) => {
      for (const item of items) {
        try {
          pool.add(state, item)
        } catch (error) {
          // The new branch may contain it as well.
          if (!(error instanceof Refused)) throw error
        }
      }
    }
    again(this.#proposerSlashings, body.proposerSlashings)
    again(this.#attesterSlashings, body.attesterSlashings)
    again(this.#exits, body.voluntaryExits)
    again(this.#changes, body.blsToExecutionChanges)
  }

  /** Removes operations that the head already contains or no longer accepts. */
  prune(): void {
    const { forkChoice, states, head } = this.#parts
    const state = states.after(head.root)
    for (const pool of [this.#exits, this.#proposerSlashings, this.#attesterSlashings, this.#changes]) {
      pool.prune(state)
    }
    this.votes.prune(forkChoice.currentSlot)
    this.syncCommittee.prune(forkChoice.currentSlot)
  }

  #addSyncCommitteeVotes(all: readonly SubcommitteeVotes[]): void {
    for (const votes of all) this.syncCommittee.add(votes)
  }

  #gossip(): GossipContext {
    return { state: currentHeadState(this.#parts), forkChoice: this.#parts.forkChoice }
  }
}
