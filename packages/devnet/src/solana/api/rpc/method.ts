import type { SolanaChain } from '../../chain/solana-chain.ts'
import { runtimeVersion } from '../runtime-version.ts'
import type { Parameters } from './parameters.ts'

/** Handles calls of one method; the return value is the result. */
export type Method = (parameters: Parameters, chain: SolanaChain) => unknown

/** Wraps a value with the slot that it depends on, as RPC nodes do. */
export function inContext(slot: bigint, value: unknown): object {
  return { context: { apiVersion: runtimeVersion, slot }, value }
}
