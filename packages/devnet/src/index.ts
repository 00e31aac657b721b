export { DevnetError, type DevnetErrorCode } from './runtime/devnet-error.ts'
export type { DevnetEvent } from './runtime/devnet-event.ts'
export {
  startDevnet,
  type AllDevnetChains,
  type BeaconDevnetChain,
  type BeaconOptions,
  type Devnet,
  type DevnetChain,
  type DevnetChainNames,
  type DevnetOptions,
  type EvmDevnetChain,
  type JettonDevnetChain,
  type JettonOptions,
  type SolanaDevnetChain,
  type SolanaOptions,
} from './devnet.ts'
export { sampleTokenAbi } from './evm/generated/sample-token.ts'
export type { JettonExample } from './jetton/chain/jetton-chain.ts'
export type { SolanaExample } from './solana/chain/solana-chain.ts'
export type { EvmExample } from './evm/seed/seed.ts'
