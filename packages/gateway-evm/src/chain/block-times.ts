import { defaultBlockMs } from '@fairlead/gateway-core/upstream/pool-member'

// By chain id, in milliseconds: chains whose blocks take less than 2.5 seconds, so that their time decides what is a lag.
const byChain: ReadonlyMap<string, number> = new Map([
  // Arbitrum One, Nova and Sepolia.
  ['0xa4b1', 250],
  ['0xa4ba', 250],
  ['0x66eee', 250],
  // BNB Smart Chain.
  ['0x38', 450],
  // HyperEVM and its test network.
  ['0x3e7', 1_000],
  ['0x3e6', 1_000],
  // OP Mainnet, Base, Polygon PoS.
  ['0xa', 2_000],
  ['0x2105', 2_000],
  ['0x89', 2_000],
])

/**
 * Returns the block time of a chain, until it is measured.
 *
 * @param chainId - as returned by `eth_chainId`
 */
export function knownBlockMs(chainId: string | undefined): number {
  return (chainId !== undefined && byChain.get(chainId)) || defaultBlockMs
}
