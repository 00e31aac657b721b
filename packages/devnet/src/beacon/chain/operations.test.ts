import { SecretKey } from '@chainsafe/blst'
import {
  DOMAIN_BEACON_ATTESTER,
  DOMAIN_BEACON_PROPOSER,
  DOMAIN_BLS_TO_EXECUTION_CHANGE,
  ForkName,
} from '@lodestar/params'
import { computeSigningRoot, interopSecretKey } from '@lodestar/state-transition'
import { ssz, type capella, type electra, type fulu, type phase0 } from '@lodestar/types'
import { beforeEach, describe, expect, it } from 'vitest'
import { createBeaconChain } from './create-beacon-chain.ts'
import type { DevnetBeaconChain } from './devnet-beacon-chain.ts'
import { Refused } from './refused.ts'

describe('operations', () => {
  let chain: DevnetBeaconChain
  const events: string[] = []

  beforeEach(async () => {
    chain = await createBeaconChain({
      secondsPerSlot: 2,
      branching: false,
      finishedSlots: 9,
      onFault: (error) => {
        throw error
      },
    })
    events.length = 0
    chain.subscribe(({ type }) => events.push(type))
  })

  async function nextBlock(): Promise<fulu.BeaconBlock> {
    await chain.runSlot(chain.currentSlot + 1)
    return chain.head.block.message
  }

  function exitOf(validatorIndex: number, signer = validatorIndex): phase0.SignedVoluntaryExit {
    const message = { epoch: 0, validatorIndex }
    const domain = chain.config.getDomainForVoluntaryExit(chain.currentSlot, 0)
    return { message, signature: sign(signer, computeSigningRoot(ssz.phase0.VoluntaryExit, message, domain)) }
  }

  function changeOf(validatorIndex: number, key = interopSecretKey(validatorIndex)) {
    const message = {
      validatorIndex,
      fromBlsPubkey: key.toPublicKey().toBytes(),
      toExecutionAddress: new Uint8Array(20).fill(7),
    }
    const domain = chain.config.getDomainAtFork(ForkName.phase0, DOMAIN_BLS_TO_EXECUTION_CHANGE)
    const root = computeSigningRoot(ssz.capella.BLSToExecutionChange, message, domain)
    return { message, signature: key.sign(root).toBytes() } satisfies capella.SignedBLSToExecutionChange
  }

  function doubleProposal(proposerIndex: number): phase0.ProposerSlashing {
    const [signedHeader1, signedHeader2] = [1, 2].map((mark) => {
      const message = {
        slot: 3n,
        proposerIndex,
        parentRoot: new Uint8Array(32).fill(mark),
        stateRoot: new Uint8Array(32),
        bodyRoot: new Uint8Array(32),
      }
      const domain = chain.config.getDomain(chain.currentSlot, DOMAIN_BEACON_PROPOSER, 3)
      const root = computeSigningRoot(ssz.phase0.BeaconBlockHeaderBigint, message, domain)
      return { message, signature: sign(proposerIndex, root) }
    })
    if (signedHeader1 === undefined || signedHeader2 === undefined) throw new Error('two headers are made')
    return { signedHeader1, signedHeader2 }
  }

  function doubleVote(attester: number): electra.AttesterSlashing {
    const [attestation1, attestation2] = [1, 2].map((mark) => {
      const data = {
        slot: 3n,
        index: 0n,
        beaconBlockRoot: new Uint8Array(32).fill(mark),
        source: { epoch: 0n, root: new Uint8Array(32) },
        target: { epoch: 0n, root: new Uint8Array(32) },
      }
      const domain = chain.config.getDomain(chain.currentSlot, DOMAIN_BEACON_ATTESTER, 0)
      const root = computeSigningRoot(ssz.phase0.AttestationDataBigint, data, domain)
      return { attestingIndices: [attester], data, signature: sign(attester, root) }
    })
    if (attestation1 === undefined || attestation2 === undefined) throw new Error('two votes are made')
    return { attestation1, attestation2 }
  }

  it('returns the operations of a reorged-out block to the pool', async () => {
    chain = await createBeaconChain({
      secondsPerSlot: 2,
      branching: true,
      finishedSlots: 19,
      onFault: (error) => {
        throw error
      },
    })
    chain.pools.voluntaryExits.add(exitOf(5))
    // This block arrives late, and the next proposer builds on its parent.
    expect((await nextBlock()).body.voluntaryExits).toHaveLength(1)
    expect((await nextBlock()).body.voluntaryExits).toHaveLength(0)
    expect(chain.pools.voluntaryExits.all()).toHaveLength(1)
    expect((await nextBlock()).body.voluntaryExits).toHaveLength(1)
  })

  it('processes a voluntary exit', async () => {
    chain.pools.voluntaryExits.add(exitOf(5))
    chain.pools.voluntaryExits.add(exitOf(5))
    expect(chain.pools.voluntaryExits.all()).toHaveLength(1)
    expect(events).toEqual(['voluntary_exit'])
    const block = await nextBlock()
    expect(block.body.voluntaryExits.map(({ message }) => message.validatorIndex)).toEqual([5])
    expect(chain.pools.voluntaryExits.all()).toEqual([])
    expect(chain.state('head').state.validators.getReadonly(5).exitEpoch).toBeLessThan(10)
    expect((await nextBlock()).body.voluntaryExits).toEqual([])
    expect(() => chain.pools.voluntaryExits.add(exitOf(5))).toThrow(/already exited/)
  })

  it('rejects invalid exits with the violated rule', () => {
    expect(() => chain.pools.voluntaryExits.add(exitOf(5, 6))).toThrow(Refused)
    expect(() => chain.pools.voluntaryExits.add(exitOf(5, 6))).toThrow(/invalid signature/)
    expect(() => chain.pools.voluntaryExits.add(exitOf(900, 6))).toThrow(/no validator with this index/)
    expect(chain.pools.voluntaryExits.all()).toEqual([])
    expect(events).toEqual([])
  })

  it('changes withdrawal credentials', async () => {
    chain.pools.blsToExecutionChanges.add(changeOf(3))
    const block = await nextBlock()
    expect(block.body.blsToExecutionChanges).toHaveLength(1)
    const { withdrawalCredentials } = chain.state('head').state.validators.getReadonly(3)
    expect(Buffer.from(withdrawalCredentials).toString('hex')).toBe(`01${'00'.repeat(11)}${'07'.repeat(20)}`)
    expect(chain.pools.blsToExecutionChanges.all()).toEqual([])
    // This validator already has an account address as its withdrawal credentials.
    expect(() => chain.pools.blsToExecutionChanges.add(changeOf(4))).toThrow(Refused)
    const otherKey = SecretKey.fromKeygen(new Uint8Array(32).fill(1))
    expect(() => chain.pools.blsToExecutionChanges.add(changeOf(7, otherKey))).toThrow(Refused)
  })

  it('slashes a proposer that proposed twice and includes no later blocks of it', async () => {
    const { state } = chain.stateForEpoch(1)
    const next = state.epochCtx.getBeaconProposer(chain.currentSlot + 2)
    chain.pools.proposerSlashings.add(doubleProposal(next))
    const block = await nextBlock()
    expect(block.body.proposerSlashings).toHaveLength(1)
    expect(chain.state('head').state.validators.getReadonly(next).slashed).toBe(true)
    expect(() => chain.pools.proposerSlashings.add(doubleProposal(next))).toThrow(/not slashable/)
    // The slots of the slashed proposer stay empty; it may also be the proposer of the slot after the first one.
    expect((await nextBlock()).slot).toBe(block.slot)
    let slot = block.slot + 2
    let after = await nextBlock()
    for (; after.slot === block.slot; slot++) after = await nextBlock()
    expect(after.slot).toBe(slot)
    expect(after.proposerIndex).not.toBe(next)
  })

  it('slashes an attester that voted twice while it exits', async () => {
    chain.pools.voluntaryExits.add(exitOf(9))
    chain.pools.attesterSlashings.add(doubleVote(9))
    const { body } = await nextBlock()
    expect([body.attesterSlashings.length, body.voluntaryExits.length]).toEqual([1, 0])
    expect(chain.state('head').state.validators.getReadonly(9).slashed).toBe(true)
    expect(chain.pools.voluntaryExits.all()).toEqual([])
    expect(events).toContain('attester_slashing')
    expect(() => chain.pools.attesterSlashings.add(doubleVote(9))).toThrow(Refused)
  })
})

function sign(validator: number, root: Uint8Array): Uint8Array {
  return interopSecretKey(validator).sign(root).toBytes()
}
