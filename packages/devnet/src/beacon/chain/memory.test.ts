import { processSlots } from '@lodestar/state-transition'
import { toRootHex } from '@lodestar/utils'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Validity } from './beacon-chain.ts'
import { createBeaconChain } from './create-beacon-chain.ts'
import type { DevnetBeaconChain } from './devnet-beacon-chain.ts'
import { NotFound } from './not-found.ts'
import { Refused } from './refused.ts'

const maxSlots = 64
const lastSlot = 119

describe('stored history', () => {
  let chain: DevnetBeaconChain
  const stateRoots = new Map<number, string>()
  const delayed: { root: string; stateRoot: string; validity: Validity }[] = []

  beforeAll(async () => {
    chain = await createBeaconChain({
      secondsPerSlot: 2,
      branching: true,
      finishedSlots: 1,
      maxSlots,
      onFault: (error) => {
        throw error
      },
    })
    for (let slot = 1; slot <= lastSlot; slot++) {
      await chain.runSlot(slot)
      const { state } = chain.state('head')
      stateRoots.set(slot, toRootHex(processSlots(state, slot).hashTreeRoot()))
      if (slot === 67) {
        const { root, block, validity } = chain.head
        delayed.push({ root, stateRoot: toRootHex(block.message.stateRoot), validity })
      }
    }
  }, 60_000)

  it('recomputes states that are not stored', () => {
    // None of these slots was at the head of a losing branch.
    for (const slot of [33, 40, 57, 63, 64, 71, 80, 88, 100, 119]) {
      const { state } = chain.state(slot)
      expect(state.slot).toBe(slot)
      expect(toRootHex(state.hashTreeRoot()), `slot ${slot}`).toBe(stateRoots.get(slot))
      const block = chain.blocksAtSlot(slot).find(({ canonical }) => canonical)
      if (block === undefined) continue
      expect(toRootHex(block.block.message.stateRoot)).toBe(stateRoots.get(slot))
      expect(chain.state(toRootHex(block.block.message.stateRoot)).state.slot).toBe(slot)
    }
  })

  it('returns the previous state for slots without a block', () => {
    // The block of this slot arrived late and was orphaned.
    const { state } = chain.state(67)
    expect(state.slot).toBe(67)
    expect(state.latestBlockHeader.slot).toBe(66)
    expect(() => chain.block(67)).toThrow(NotFound)
    const [orphan] = chain.blocksAtSlot(67)
    expect(orphan).toMatchObject({
      root: delayed[0]?.root,
      canonical: false,
      finalized: false,
      validity: 'valid',
    })
    const { state: ofOrphan } = chain.state(delayed[0]?.stateRoot ?? '')
    expect(ofOrphan.latestBlockHeader.slot).toBe(67)
  })

  it('reports finalized blocks, and rejects unknown ones', () => {
    expect(chain.block('finalized')).toMatchObject({ finalized: true, canonical: true, validity: 'valid' })
    expect(chain.block('head')).toMatchObject({ finalized: false, canonical: true, root: chain.head.root })
    expect(chain.block('genesis').block.message.slot).toBe(0)
    expect(chain.state('genesis').state.slot).toBe(0)
    expect(chain.state('finalized')).toMatchObject({ finalized: true, executionOptimistic: false })
    const { state } = chain.state('justified')
    expect(state.slot).toBe(chain.forkChoice().justified.epoch * 8)
    expect(chain.state(90).finalized).toBe(true)
    expect(chain.state(lastSlot).finalized).toBe(false)
    expect(() => chain.state(lastSlot + 1)).toThrow(NotFound)
    expect(() => chain.block(`0x${'11'.repeat(32)}`)).toThrow(NotFound)
    expect(() => chain.state('0x11')).toThrow(Refused)
    expect(() => chain.block('justified')).toThrow(Refused)
    expect(() => chain.stateForEpoch(20)).toThrow(Refused)
    expect(chain.stateForEpoch(14).state.epochCtx.epoch).toBe(14)
    const parent = chain.block(66)
    expect(chain.blocksByParent(parent.root).map(({ block }) => block.message.slot)).toEqual([67, 68])
  })

  it('removes old blocks and states', () => {
    expect(chain.block(40).block.message.slot).toBe(40)
    expect(() => chain.block(10)).toThrow(NotFound)
    expect(() => chain.state(10)).toThrow(NotFound)
    const { size } = chain
    expect(size.blocks).toBeLessThan(maxSlots * 2)
    expect(size.states).toBeLessThan(80)
    expect(size.trees).toBeLessThan(5)
    expect(size.forkChoiceNodes).toBeLessThan(40)
    expect(size.votes).toBeLessThan(60)
    expect(size.executionBlocks).toBeLessThan(200)
  })
})
