import { createHash } from 'node:crypto'
import { aggregatePublicKeys, fastAggregateVerify, PublicKey, Signature } from '@chainsafe/blst'
import { DOMAIN_SYNC_COMMITTEE } from '@lodestar/params'
import { computeSigningRoot } from '@lodestar/state-transition'
import { ssz, type altair, type deneb } from '@lodestar/types'
import { toRootHex } from '@lodestar/utils'
import { beforeAll, describe, expect, it } from 'vitest'
import { createBeaconChain } from './create-beacon-chain.ts'
import type { DevnetBeaconChain } from './devnet-beacon-chain.ts'

// Generalized indices of the specification (electra/light-client/sync-protocol.md, capella for the payload).
const finalizedRootIndex = 169
const currentSyncCommitteeIndex = 86
const nextSyncCommitteeIndex = 87
const executionPayloadIndex = 25

describe('data for light clients', () => {
  let chain: DevnetBeaconChain
  const topics: string[] = []

  beforeAll(async () => {
    chain = await createBeaconChain({
      secondsPerSlot: 2,
      branching: false,
      finishedSlots: 1,
      onFault: (error) => {
        throw error
      },
    })
    chain.subscribe(({ type }) => topics.push(type))
    for (let slot = 1; slot <= 70; slot++) await chain.runSlot(slot)
  }, 60_000)

  it('proves the sync committee of a block', () => {
    const bootstrap = chain.lightClient.bootstrap(chain.block(64).root)
    if (bootstrap === undefined) throw new Error('the block is known')
    expectHeader(bootstrap.header)
    const { stateRoot } = bootstrap.header.beacon
    const leaf = ssz.altair.SyncCommittee.hashTreeRoot(bootstrap.currentSyncCommittee)
    expect(computeRoot(leaf, currentSyncCommitteeIndex, bootstrap.currentSyncCommitteeBranch)).toBe(
      toRootHex(stateRoot),
    )
    expect(chain.lightClient.bootstrap(`0x${'11'.repeat(32)}`)).toBeUndefined()
  })

  it('proves finality, signed by the sync committee', () => {
    const update = chain.lightClient.finalityUpdate()
    if (update === undefined) throw new Error('the chain is finalized')
    expectHeader(update.attestedHeader)
    expectHeader(update.finalizedHeader)
    const leaf = ssz.phase0.BeaconBlockHeader.hashTreeRoot(update.finalizedHeader.beacon)
    expect(computeRoot(leaf, finalizedRootIndex, update.finalityBranch)).toBe(
      toRootHex(update.attestedHeader.beacon.stateRoot),
    )
    expect(update.finalizedHeader.beacon.slot).toBe(chain.forkChoice().finalized.epoch * 8)
    const { currentSyncCommittee } = chain.state('head').state
    expectSigned(currentSyncCommittee.toValue(), update)
    expect(update.signatureSlot).toBe(70)
    expect(chain.lightClient.optimisticUpdate()).toMatchObject({ signatureSlot: 70 })
  })

  it('provides an update from each period to the next', () => {
    const updates = chain.lightClient.updates(0, 5)
    expect(updates.map(({ attestedHeader }) => Math.floor(attestedHeader.beacon.slot / 64))).toEqual([0, 1])
    const [first, second] = updates
    if (first === undefined || second === undefined) throw new Error('there are two')
    for (const update of updates) {
      const leaf = ssz.altair.SyncCommittee.hashTreeRoot(update.nextSyncCommittee)
      expect(computeRoot(leaf, nextSyncCommitteeIndex, update.nextSyncCommitteeBranch)).toBe(
        toRootHex(update.attestedHeader.beacon.stateRoot),
      )
    }
    expectSigned(chain.state('genesis').state.currentSyncCommittee.toValue(), first)
    expectSigned(first.nextSyncCommittee, second)
    expect(chain.lightClient.updates(1, 1)).toEqual([second])
    expect(chain.lightClient.updates(2, 1)).toEqual([])
  })

  it('emits an event for every update', () => {
    const count = (topic: string) => topics.filter((candidate) => candidate === topic).length
    expect(count('light_client_optimistic_update')).toBe(69)
    expect(count('light_client_finality_update')).toBeGreaterThan(30)
  })

  function expectHeader({ beacon, execution, executionBranch }: deneb.LightClientHeader): void {
    const { body } = chain.block(beacon.slot).block.message
    expect(toRootHex(execution.blockHash)).toBe(toRootHex(body.executionPayload.blockHash))
    const leaf = ssz.deneb.ExecutionPayloadHeader.hashTreeRoot(execution)
    expect(computeRoot(leaf, executionPayloadIndex, executionBranch)).toBe(toRootHex(beacon.bodyRoot))
  }

  function expectSigned(
    committee: altair.SyncCommittee,
    update: {
      attestedHeader: deneb.LightClientHeader
      syncAggregate: altair.SyncAggregate
      signatureSlot: number
    },
  ): void {
    const { syncCommitteeBits, syncCommitteeSignature } = update.syncAggregate
    const signers = syncCommitteeBits.intersectValues(committee.pubkeys)
    expect(signers).toHaveLength(32)
    const domain = chain.config.getDomain(
      update.signatureSlot,
      DOMAIN_SYNC_COMMITTEE,
      update.signatureSlot - 1,
    )
    const root = computeSigningRoot(
      ssz.Root,
      ssz.phase0.BeaconBlockHeader.hashTreeRoot(update.attestedHeader.beacon),
      domain,
    )
    const keys = signers.map((signer) => PublicKey.fromBytes(signer))
    expect(fastAggregateVerify(root, keys, Signature.fromBytes(syncCommitteeSignature))).toBe(true)
    const all = committee.pubkeys.map((key) => PublicKey.fromBytes(key))
    expect(aggregatePublicKeys(all).toBytes()).toEqual(committee.aggregatePubkey)
  }
})

/** Computes the root of a leaf and its Merkle branch without the library. */
function computeRoot(leaf: Uint8Array, index: number, branch: readonly Uint8Array[]): string {
  let node: Uint8Array = leaf
  let at = index
  for (const sibling of branch) {
    const pair = at % 2 === 0 ? [node, sibling] : [sibling, node]
    node = createHash('sha256').update(Buffer.concat(pair)).digest()
    at = Math.floor(at / 2)
  }
  expect(at).toBe(1)
  return toRootHex(node)
}
