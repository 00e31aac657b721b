import {
  DOMAIN_AGGREGATE_AND_PROOF,
  DOMAIN_BEACON_ATTESTER,
  DOMAIN_BEACON_PROPOSER,
  DOMAIN_RANDAO,
  DOMAIN_SELECTION_PROOF,
  DOMAIN_SYNC_COMMITTEE,
} from '@lodestar/params'
import {
  computeEpochAtSlot,
  computeSigningRoot,
  DataAvailabilityStatus,
  ExecutionPayloadStatus,
  interopSecretKey,
  stateTransition,
} from '@lodestar/state-transition'
import { ssz, type electra, type fulu } from '@lodestar/types'
import { fromHex, toRootHex } from '@lodestar/utils'
import { beforeEach, describe, expect, it } from 'vitest'
import { createBeaconChain } from './create-beacon-chain.ts'
import type { DevnetBeaconChain } from './devnet-beacon-chain.ts'
import { ExecutionLayer, type NewPayload } from './execution-layer.ts'
import { Refused } from './refused.ts'
import { ValidatorKeys } from './validator-keys.ts'

const graffiti = new Uint8Array(32).fill(9)

describe('messages from clients', () => {
  let chain: DevnetBeaconChain
  const keys = new ValidatorKeys(64)

  beforeEach(async () => {
    chain = await createBeaconChain({
      secondsPerSlot: 2,
      branching: false,
      finishedSlots: 9,
      onFault: (error) => {
        throw error
      },
    })
  })

  function sign(validator: number, root: Uint8Array): Uint8Array {
    return interopSecretKey(validator).sign(root).toBytes()
  }

  /** Returns a validator other than the given ones, because the duties depend on the time at which the chain began. */
  function otherValidator(...validators: readonly number[]): number {
    return keys.pubkeys.findIndex((_, index) => !validators.includes(index))
  }

  async function produce(slot: number): Promise<fulu.BeaconBlock> {
    const { state } = chain.stateForEpoch(computeEpochAtSlot(chain.currentSlot))
    const domain = chain.config.getDomain(slot, DOMAIN_RANDAO)
    const root = computeSigningRoot(ssz.Epoch, computeEpochAtSlot(slot), domain)
    const randaoReveal = sign(state.epochCtx.getBeaconProposer(slot), root)
    const { block } = await chain.produceBlock({
      slot,
      randaoReveal,
      graffiti,
      skipRandaoVerification: false,
    })
    return block
  }

  function signed(message: fulu.BeaconBlock): fulu.SignedBeaconBlock {
    const domain = chain.config.getDomain(message.slot, DOMAIN_BEACON_PROPOSER)
    const root = computeSigningRoot(ssz.fulu.BeaconBlock, message, domain)
    return { message, signature: sign(message.proposerIndex, root) }
  }

  it('imports a block from a client before its slot begins', async () => {
    const block = signed(await produce(9))
    const imported = chain.importBlock(block)
    await chain.runSlot(9)
    await imported
    expect(chain.head.block).toEqual(block)
    expect(chain.blocksAtSlot(9)).toHaveLength(1)
    await chain.importBlock(block)
    expect(chain.blocksAtSlot(9)).toHaveLength(1)
    await chain.runSlot(10)
    expect(toRootHex(chain.head.block.message.parentRoot)).toBe(
      toRootHex(ssz.fulu.BeaconBlock.hashTreeRoot(block.message)),
    )
  })

  it.each<[string, RegExp, (block: fulu.BeaconBlock) => void]>([
    ['a wrong state root', /Invalid state root/, (block) => (block.stateRoot = new Uint8Array(32))],
    ['an unknown parent', /parent of the block is unknown/, (block) => (block.parentRoot = graffiti)],
    [
      'a wrong proposer',
      /Invalid block proposer|proposer/,
      (block) => (block.proposerIndex = (block.proposerIndex + 1) % 64),
    ],
    ['a wrong payload hash', /hash that it claims/, (block) => (block.body.executionPayload.gasUsed = 1)],
    ['a wrong reveal', /randao/i, (block) => (block.body.randaoReveal = sign(1, graffiti))],
    [
      'a blob',
      /neither transactions nor blobs/,
      (block) => block.body.blobKzgCommitments.push(new Uint8Array(48)),
    ],
  ])('rejects a block with %s', async (_name, rule, corrupt) => {
    const conflicting = ssz.fulu.BeaconBlock.clone(await produce(9))
    corrupt(conflicting)
    const rejection = expect(chain.importBlock(signed(conflicting))).rejects.toThrow(rule)
    await chain.runSlot(9)
    await rejection
    // The slot is still free for its own proposer.
    expect(chain.head.block.message.body.graffiti).not.toEqual(graffiti)
    expect(chain.head.block.message.slot).toBe(9)
  })

  it('rejects a block on the head whose payload does not execute', async () => {
    const conflicting = ssz.fulu.BeaconBlock.clone(await produce(9))
    const { executionPayload, executionRequests } = conflicting.body
    executionPayload.stateRoot = graffiti
    executionPayload.blockHash = await hashOf({
      payload: executionPayload,
      parentBeaconBlockRoot: conflicting.parentRoot,
      executionRequests,
    })
    const postState = stateTransition(
      chain.state('head').state,
      { message: ssz.fulu.BeaconBlock.clone(conflicting), signature: new Uint8Array(96) },
      {
        verifyStateRoot: false,
        verifyProposer: false,
        executionPayloadStatus: ExecutionPayloadStatus.valid,
        dataAvailabilityStatus: DataAvailabilityStatus.Available,
      },
    )
    conflicting.stateRoot = postState.hashTreeRoot()
    const rejection = expect(chain.importBlock(signed(conflicting))).rejects.toThrow(
      'The payload is invalid.',
    )
    await chain.runSlot(9)
    await rejection
  })

  it('rejects a block without a valid proposer signature', async () => {
    const message = await produce(9)
    const rejection = expect(chain.importBlock({ message, signature: sign(1, graffiti) })).rejects.toThrow(
      Refused,
    )
    await chain.runSlot(9)
    await rejection
  })

  it('rejects a second block of a proposer and a block from the future', async () => {
    const block = await produce(9)
    const conflicting = ssz.fulu.BeaconBlock.clone(block)
    conflicting.body.graffiti = new Uint8Array(32)
    const other = signed(conflicting)
    await chain.runSlot(9)
    const later = ssz.fulu.BeaconBlock.clone(block)
    later.slot = 20
    await expect(chain.importBlock(other)).rejects.toThrow('Another block of this proposer')
    await expect(chain.importBlock(signed(later))).rejects.toThrow('in the future')
  })

  it('does not produce a block for a slashed proposer', async () => {
    const proposerIndex = chain.state('head').state.epochCtx.getBeaconProposer(10)
    const header = (bodyRoot: Uint8Array) => {
      const zero = new Uint8Array(32)
      const message = { slot: 8n, proposerIndex, parentRoot: zero, stateRoot: zero, bodyRoot }
      const domain = chain.config.getDomain(8, DOMAIN_BEACON_PROPOSER)
      const root = computeSigningRoot(ssz.phase0.BeaconBlockHeaderBigint, message, domain)
      return { message, signature: sign(proposerIndex, root) }
    }
    const slashing = { signedHeader1: header(graffiti), signedHeader2: header(new Uint8Array(32)) }
    chain.pools.proposerSlashings.add(slashing)
    await chain.runSlot(9)
    await expect(produce(10)).rejects.toThrow(new Refused('The proposer of the slot is slashed.'))
  })

  it('rejects block production with a wrong randao reveal, for the past and for the distant future', async () => {
    const request = { slot: 9, randaoReveal: sign(1, graffiti), graffiti, skipRandaoVerification: false }
    await expect(chain.produceBlock(request)).rejects.toThrow('randao_reveal')
    await expect(chain.produceBlock({ ...request, randaoReveal: new Uint8Array(96) })).rejects.toThrow(
      'randao_reveal',
    )
    await expect(chain.produceBlock({ ...request, slot: 8 })).rejects.toThrow('after the slot of the head')
    await expect(chain.produceBlock({ ...request, slot: 12 })).rejects.toThrow('current one or the next one')
    const infinity = new Uint8Array(96)
    infinity[0] = 0xc0
    const skipping = { ...request, randaoReveal: infinity, skipRandaoVerification: true }
    expect((await chain.produceBlock(skipping)).block.slot).toBe(9)
  })

  it('pays fees to the fee recipient of the proposer', async () => {
    const { state } = chain.stateForEpoch(1)
    const address = `0x${'ab'.repeat(20)}`
    chain.prepareProposer(state.epochCtx.getBeaconProposer(9), address)
    expect((await produce(9)).body.executionPayload.feeRecipient).toEqual(fromHex(address))
  })

  describe('votes', () => {
    function single(attester: { position: number; signer?: number }, slot = chain.currentSlot) {
      const { state } = chain.stateForEpoch(computeEpochAtSlot(slot))
      const attesterIndex = state.epochCtx.getBeaconCommittee(slot, 0)[attester.position] ?? -1
      const data = chain.attestationData(slot)
      const domain = chain.config.getDomain(slot, DOMAIN_BEACON_ATTESTER)
      const root = computeSigningRoot(ssz.phase0.AttestationData, data, domain)
      const signature = sign(attester.signer ?? attesterIndex, root)
      return { committeeIndex: 0, attesterIndex, data, signature } satisfies electra.SingleAttestation
    }

    it('accepts a vote once and emits an event', () => {
      const types: string[] = []
      chain.subscribe(({ type }) => types.push(type))
      // The validator of this chain has voted already.
      chain.pools.attestations.add(single({ position: 1 }))
      expect(types).toEqual([])
      const earlier = single({ position: 1 }, 7)
      earlier.data = ssz.phase0.AttestationData.clone(earlier.data)
      earlier.data.beaconBlockRoot = fromHex(chain.block(6).root)
      const domain = chain.config.getDomain(7, DOMAIN_BEACON_ATTESTER)
      const root = computeSigningRoot(ssz.phase0.AttestationData, earlier.data, domain)
      chain.pools.attestations.add({ ...earlier, signature: sign(earlier.attesterIndex, root) })
      expect(types).toEqual(['single_attestation'])
      const dataRoot = toRootHex(ssz.phase0.AttestationData.hashTreeRoot(earlier.data))
      const aggregate = chain.aggregate({ dataRoot, slot: 7, committeeIndex: 0 })
      expect(aggregate?.aggregationBits.getTrueBitIndexes()).toEqual([1])
      expect(chain.aggregate({ dataRoot, slot: 6, committeeIndex: 0 })).toBeUndefined()
    })

    it('rejects invalid votes', () => {
      const { attestations } = chain.pools
      const right = single({ position: 0 })
      const [known] = attestations.all()
      expect(known).toBeDefined()
      const signer = otherValidator(right.attesterIndex)
      expect(() => attestations.add(single({ position: 0, signer }))).toThrow(/signature/)
      expect(() => attestations.add({ ...right, signature: new Uint8Array(96) })).toThrow(/signature/)
      const nonMember = otherValidator(
        ...chain.stateForEpoch(1).state.epochCtx.getBeaconCommittee(right.data.slot, 0),
      )
      expect(() => attestations.add({ ...right, attesterIndex: nonMember })).toThrow(/not in the committee/)
      expect(() => attestations.add({ ...right, committeeIndex: 9 })).toThrow(/no committee/)
      const withData = (data: Partial<typeof right.data>) => ({
        ...right,
        data: Object.assign(ssz.phase0.AttestationData.clone(right.data), data),
      })
      expect(() => attestations.add(withData({ slot: 11 }))).toThrow(/future/)
      expect(() => attestations.add(withData({ index: 1 }))).toThrow(/index/)
      expect(() => attestations.add(withData({ beaconBlockRoot: graffiti }))).toThrow(/not known/)
      expect(() => attestations.add(withData({ target: { epoch: 0, root: graffiti } }))).toThrow(/target/)
      expect(() => attestations.add(withData({ target: { epoch: 1, root: graffiti } }))).toThrow(/target/)
    })

    it('accepts an aggregate with a valid proof and rejects an invalid one', () => {
      const slot = chain.currentSlot
      const { state } = chain.stateForEpoch(1)
      const [aggregatorIndex = -1] = state.epochCtx.getBeaconCommittee(slot, 0)
      const data = chain.attestationData(slot)
      const dataRoot = toRootHex(ssz.phase0.AttestationData.hashTreeRoot(data))
      const aggregate = chain.aggregate({ dataRoot, slot, committeeIndex: 0 })
      if (aggregate === undefined) throw new Error('the own validators have voted')
      const selection = computeSigningRoot(
        ssz.Slot,
        slot,
        chain.config.getDomain(slot, DOMAIN_SELECTION_PROOF),
      )
      const message = { aggregatorIndex, aggregate, selectionProof: sign(aggregatorIndex, selection) }
      const domain = chain.config.getDomain(slot, DOMAIN_AGGREGATE_AND_PROOF)
      const root = computeSigningRoot(ssz.electra.AggregateAndProof, message, domain)
      chain.pools.aggregates.add({ message, signature: sign(aggregatorIndex, root) })
      expect(() =>
        chain.pools.aggregates.add({ message, signature: sign(otherValidator(aggregatorIndex), root) }),
      ).toThrow(/signature of the aggregator/)
      const foreign = { ...message, selectionProof: sign(otherValidator(aggregatorIndex), selection) }
      expect(() =>
        chain.pools.aggregates.add({
          message: foreign,
          signature: sign(otherValidator(aggregatorIndex), root),
        }),
      ).toThrow(Refused)
    })

    it('accepts sync committee messages and contributions', () => {
      const slot = chain.currentSlot
      const { state } = chain.state('head')
      const committee = state.epochCtx.getIndexedSyncCommittee(slot).validatorIndices
      const [validatorIndex = -1] = committee
      const blockRoot = graffiti
      const domain = chain.config.getDomain(slot, DOMAIN_SYNC_COMMITTEE)
      const signature = sign(validatorIndex, computeSigningRoot(ssz.Root, blockRoot, domain))
      const message = { slot, beaconBlockRoot: blockRoot, validatorIndex, signature }
      chain.pools.syncCommitteeMessages.add(message)
      const of = { slot, subcommitteeIndex: 0, blockRoot: toRootHex(blockRoot) }
      const contribution = chain.syncCommitteeContribution(of)
      expect(contribution?.aggregationBits.get(0)).toBe(true)
      expect(() => chain.pools.syncCommitteeMessages.add({ ...message, slot: slot - 1 })).toThrow(/current/)
      expect(() =>
        chain.pools.syncCommitteeMessages.add({ ...message, beaconBlockRoot: new Uint8Array(32) }),
      ).toThrow(/signature/)
      const nonMember = otherValidator(...committee)
      expect(() => chain.pools.syncCommitteeMessages.add({ ...message, validatorIndex: nonMember })).toThrow(
        /not in the sync committee/,
      )

      if (contribution === undefined) throw new Error('a seat has signed')
      chain.pools.contributions.add(keys.signContribution(chain.config, contribution, validatorIndex))
      const wrong = keys.signContribution(
        chain.config,
        { ...contribution, signature: sign(63, graffiti) },
        validatorIndex,
      )
      expect(() => chain.pools.contributions.add(wrong)).toThrow(/signature of the contribution/)
    })
  })

  it('reports the validators that were active in an epoch', async () => {
    for (let slot = 9; slot <= 16; slot++) await chain.runSlot(slot)
    expect(Array.from({ length: 64 }, (_, index) => chain.isLive(1, index))).not.toContain(false)
    expect(chain.isLive(3, 0)).toBe(false)
  })
})

/** The correct hash of a payload; the library includes it in the error for a payload with another hash. */
async function hashOf(newPayload: NewPayload): Promise<Uint8Array> {
  const execution = await ExecutionLayer.create({ genesisTime: 0, chainId: 1337 })
  const payload = { ...newPayload.payload, blockHash: new Uint8Array(32) }
  const rejection = await execution.accept({ ...newPayload, payload }).catch(String)
  return fromHex(/received: (0x[0-9a-f]{64})/.exec(String(rejection))?.[1] ?? '')
}
