import type { SolanaChain } from '../../chain/solana-chain.ts'
import { runtimeVersion } from '../runtime-version.ts'
import type { Parameters } from './parameters.ts'

/** Answers calls of one method; what it returns is the result. */
export type Method = (parameters: Parameters, chain: SolanaChain) => unknown

/** Puts the slot beside a value, as nodes do for what depends on it. */
export function inContext(slot: bigint, value: unknown): object {
  return { context: { apiVersion: runtimeVersion, slot }, value }
}
