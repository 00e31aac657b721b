import { SLOTS_PER_EPOCH } from '@lodestar/params'
import { DataAvailabilityStatus, ExecutionPayloadStatus, stateTransition } from '@lodestar/state-transition'
import { ssz, type electra } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Validity } from './beacon-chain.ts'
import { createBeaconChain } from './create-beacon-chain.ts'
import type { DevnetBeaconChain } from './devnet-beacon-chain.ts'

const lastSlot = 74

interface Seen {
  readonly slot: number
  readonly heads: readonly number[]
  readonly validities: ReadonlySet<Validity>
  readonly finalizedEpoch: number
}

describe('the schedule of branches', () => {
  let chain: DevnetBeaconChain
  const seen: Seen[] = []
  const events: Parameters<Parameters<DevnetBeaconChain['subscribe']>[0]>[0][] = []
  const ofType = (type: string) =>
    events.flatMap((event) =>
      (event.type as string) === type ? [event.message as Record<string, unknown>] : [],
    )

  beforeAll(async () => {
    chain = await createBeaconChain({
      secondsPerSlot: 2,
      branching: true,
      finishedSlots: 1,
      onFault: (error) => {
        throw error
      },
    })
    chain.subscribe((event) => events.push(event))
    for (let slot = 1; slot <= lastSlot; slot++) {
      await chain.runSlot(slot)
      const { entries, finalized } = chain.forkChoice()
      const parents = new Set(entries.map(({ parentRoot }) => parentRoot))
      seen.push({
        slot,
        heads: entries.filter(({ blockRoot }) => !parents.has(blockRoot)).map((entry) => entry.slot),
        validities: new Set(entries.map(({ validity }) => validity)),
        finalizedEpoch: finalized.epoch,
      })
    }
  }, 60_000)

  it('finalizes every epoch', () => {
    for (const { slot, finalizedEpoch } of seen.filter((view) => view.slot >= 4 * SLOTS_PER_EPOCH)) {
      expect(finalizedEpoch, `slot ${slot}`).toBe(Math.floor(slot / SLOTS_PER_EPOCH) - 2)
    }
    expect(ofType('finalized_checkpoint').map(({ epoch }) => epoch)).toEqual(
      Array.from({ length: Math.floor(lastSlot / SLOTS_PER_EPOCH) - 3 }, (_, index) => index + 2),
    )
  })

  it('always has more than one head after the start', () => {
    for (const { slot, heads } of seen.filter((view) => view.slot >= 16)) {
      expect(heads.length, `slot ${slot}`).toBeGreaterThan(1)
    }
  })

  it('reorganizes over one slot and over three', () => {
    const depths = ofType('chain_reorg').map(({ slot, depth }) => [slot, depth])
    const perRound = [
      [4, 1],
      [20, 1],
      // The seventh slot of the third epoch, when a network split ends.
      [29, 3],
      [36, 1],
      [52, 1],
      // The last block of the winning branch is invalid.
      [59, 3],
    ]
    expect(depths).toEqual([...perRound, [68, 1]])
  })

  it('has blocks of every validity, and only valid heads', () => {
    const withValidity = (validity: Validity) =>
      seen.filter(({ validities }) => validities.has(validity)).length
    expect(withValidity('optimistic')).toBeGreaterThan(seen.length / 4)
    expect(withValidity('invalid')).toBeGreaterThan(seen.length / 8)
    expect(chain.head.validity).toBe('valid')
    const [invalid] = chain.forkChoice().entries.filter((entry) => entry.validity === 'invalid')
    expect(invalid?.slot).toBe(61)
    expect(invalid?.weight).toBe(0n)
  })

  it('produces only blocks that pass full verification, on every branch', () => {
    const roots = (ofType('block') as { block: string }[]).map(({ block }) => block)
    expect(roots.length).toBeGreaterThan(lastSlot - 4)
    for (const root of roots) {
      const { block } = chain.block(root)
      const parent = chain.block(toRootHex(block.message.parentRoot)).block.message
      const { state } = chain.state(toRootHex(parent.stateRoot))
      // Deserialized again, so that no root is cached from block production.
      const read = ssz.fulu.SignedBeaconBlock.deserialize(ssz.fulu.SignedBeaconBlock.serialize(block))
      stateTransition(state, read, {
        verifyStateRoot: true,
        verifyProposer: true,
        verifySignatures: true,
        executionPayloadStatus: ExecutionPayloadStatus.valid,
        dataAvailabilityStatus: DataAvailabilityStatus.Available,
      })
    }
  })

  it('never produces slashable proposals or attestations', () => {
    const signers = new Map<string, string>()
    for (const { slot, block } of ofType('block') as { slot: number; block: string }[]) {
      const { proposerIndex } = chain.block(block).block.message
      const key = `${slot} ${proposerIndex}`
      expect(signers.has(key), key).toBe(false)
      signers.set(key, block)
    }
    const votes = new Map<string, string>()
    const singles = ofType('single_attestation') as unknown as electra.SingleAttestation[]
    for (const { attesterIndex, data } of singles) {
      const key = `${attesterIndex} in epoch ${data.target.epoch}`
      expect(votes.has(key), key).toBe(false)
      votes.set(key, key)
    }
    // All validators vote in every epoch; votes on the other side of a split are not reported individually.
    expect(votes.size).toBeGreaterThan((64 * lastSlot) / SLOTS_PER_EPOCH / 2)
  })

  it('includes the votes of all branches', () => {
    const { state } = chain.stateForEpoch(Math.floor(lastSlot / SLOTS_PER_EPOCH))
    const participation = state.previousEpochParticipation.getAll()
    expect(participation.filter((flags) => (flags & 0b10) === 0b10)).toHaveLength(64)
  })

  it('emits events for heads, blocks, votes and payload attributes', () => {
    const head = ofType('head').at(-1)
    expect(head).toMatchObject({ slot: chain.head.block.message.slot, block: chain.head.root })
    const types = new Set<string>(events.map(({ type }) => type))
    for (const type of [
      'head',
      'head_v2',
      'block',
      'block_gossip',
      'attestation',
      'single_attestation',
      'contribution_and_proof',
      'payload_attributes',
      'light_client_finality_update',
      'light_client_optimistic_update',
    ]) {
      expect(types.has(type), type).toBe(true)
    }
    const announced = ofType('payload_attributes') as {
      data: { proposalSlot: number; parentBlockRoot: Uint8Array }
    }[]
    const { message } = chain.head.block
    const proposed = announced.find(({ data }) => data.proposalSlot === message.slot)
    expect(proposed?.data.parentBlockRoot).toEqual(message.parentRoot)
  })
})
