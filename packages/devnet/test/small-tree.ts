import {
  ForkChoice,
  zeroRoot,
  type CheckpointHex,
  type ForkChoiceBlock,
  type Vote,
} from '../src/beacon/chain/fork-choice.ts'

export const slotsPerEpoch = 4
export const balance = 32_000_000_000
export const validators = 16

/** Returns a root that contains the name of its block. */
export function rootOf(name: string): string {
  return `0x${Buffer.from(name).toString('hex').padEnd(64, '0')}`
}

export const genesis: CheckpointHex = { epoch: 0, root: rootOf('genesis') }

/** Creates a block of a small tree, by default justified and finalized at genesis. */
export function block(
  name: string,
  parent: string,
  slot: number,
  overrides: Partial<ForkChoiceBlock> = {},
): ForkChoiceBlock {
  return {
    slot,
    root: rootOf(name),
    parentRoot: rootOf(parent),
    stateRoot: zeroRoot,
    executionBlockHash: zeroRoot,
    justified: genesis,
    finalized: genesis,
    unrealizedJustified: genesis,
    unrealizedFinalized: genesis,
    validity: 'valid',
    ...overrides,
  }
}

/** Creates a fork choice with sixteen equal validators and only the genesis block. */
export function createTree(): ForkChoice {
  return new ForkChoice(
    { ...block('genesis', 'none', 0), parentRoot: zeroRoot },
    {
      slotsPerEpoch,
      proposerScoreBoost: 40,
      balancesAt: () => Array.from({ length: validators }, () => balance),
    },
  )
}

/** Creates a vote in a slot for the block with a name. */
export function vote(name: string, slot: number): Vote {
  return { slot, targetEpoch: Math.floor(slot / slotsPerEpoch), blockRoot: rootOf(name) }
}
