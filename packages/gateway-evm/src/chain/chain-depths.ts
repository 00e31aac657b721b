/** How far back what is true of a chain stops to change, and how far back ordinary nodes know its state. */
export interface ChainDepths {
  /** Blocks behind the head that are taken for final where the nodes do not know the tag `finalized`. */
  readonly finality: number
  /** Blocks behind the head of which an ordinary node has the state. */
  readonly archive: number
}

const usual: ChainDepths = { finality: 256, archive: 128 }

// By chain id. Ethereum and its test networks: a block is final two to three epochs of 32 slots after it.
// Ethereum Classic and its test network have no finality; deep replacements of several thousand blocks have happened.
const byChain: ReadonlyMap<string, ChainDepths> = new Map([
  ['0x1', { ...usual, finality: 96 }],
  ['0xaa36a7', { ...usual, finality: 96 }],
  ['0x88bb0', { ...usual, finality: 96 }],
  ['0x3d', { ...usual, finality: 10_000 }],
  ['0x3f', { ...usual, finality: 10_000 }],
])

/**
 * The depths of a chain; careful ones for a chain that is not known.
 *
 * @param chainId - as `eth_chainId` gives it
 */
export function depthsOf(chainId: string | undefined): ChainDepths {
  return (chainId !== undefined && byChain.get(chainId)) || usual
}
