/** Depth at which blocks of a chain become final, and depth to which ordinary upstreams have its state. */
export interface ChainDepths {
  /** Blocks behind the chain head at which a block counts as final, for upstreams without the tag `finalized`. */
  readonly finality: number
  /** Blocks behind the chain head for which an ordinary upstream has the state. */
  readonly archive: number
}

const defaultDepths: ChainDepths = { finality: 256, archive: 128 }

// By chain id. Ethereum and its test networks: a block becomes final two to three epochs of 32 slots after it.
// Ethereum Classic and its test network have no finality. Reorganizations of several thousand blocks have happened.
const byChain: ReadonlyMap<string, ChainDepths> = new Map([
  ['0x1', { ...defaultDepths, finality: 96 }],
  ['0xaa36a7', { ...defaultDepths, finality: 96 }],
  ['0x88bb0', { ...defaultDepths, finality: 96 }],
  ['0x3d', { ...defaultDepths, finality: 10_000 }],
  ['0x3f', { ...defaultDepths, finality: 10_000 }],
])

/**
 * Returns the depths of a chain. An unknown chain has conservative depths.
 *
 * @param chainId - as returned by `eth_chainId`
 */
export function depthsOf(chainId: string | undefined): ChainDepths {
  return (chainId !== undefined && byChain.get(chainId)) || defaultDepths
}
