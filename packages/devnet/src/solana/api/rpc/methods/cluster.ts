import { CommitmentLevel } from '@fairlead/grpc/geyser'
import { blockhashAge } from '../../../chain/ledger.ts'
import type { SolanaChain, Tip } from '../../../chain/solana-chain.ts'
import { runtimeVersion } from '../../runtime-version.ts'
import { inContext, type Method } from '../method.ts'
import { readCommitment, readOptions, readText, readUnsigned, type Parameters } from '../parameters.ts'
import { RpcCode, RpcError } from '../rpc-error.ts'

const slotsInEpoch = 432_000n

/** Methods about the chain as a whole. */
export const clusterMethods: Readonly<Record<string, Method>> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': runtimeVersion, 'feature-set': 0 }),
  getGenesisHash: (_parameters, { genesisHash }) => genesisHash,
  getSlot: (parameters, chain) => tipOf(parameters, 0, chain).slot,
  getBlockHeight: (parameters, chain) => tipOf(parameters, 0, chain).blockHeight,
  getFirstAvailableBlock: (_parameters, { firstAvailableSlot }) => firstAvailableSlot,
  getEpochInfo: (parameters, chain) => {
    const { slot, blockHeight } = tipOf(parameters, 0, chain)
    return {
      absoluteSlot: slot,
      blockHeight,
      epoch: slot / slotsInEpoch,
      slotIndex: slot % slotsInEpoch,
      slotsInEpoch,
      transactionCount: null,
    }
  },
  getLatestBlockhash: (parameters, chain) => {
    const tip = tipOf(parameters, 0, chain)
    return inContext(tip.slot, lifetimeOf(tip))
  },
  isBlockhashValid: (parameters, chain) => {
    const blockhash = readText(parameters, 0, 'blockhash')
    const level = readCommitment(readOptions(parameters, 1))
    return inContext(tipOf(parameters, 1, chain).slot, chain.isBlockhashValid(blockhash, level))
  },
  getMinimumBalanceForRentExemption: ([dataLength], chain) =>
    chain.minimumBalance(readUnsigned(dataLength, 'dataLength')),
}

/** Returns a blockhash, and the height of the last block that can include a transaction with it. */
export function lifetimeOf({ blockhash, blockHeight }: Tip): object {
  return { blockhash, lastValidBlockHeight: blockHeight + blockhashAge }
}

/**
 * Returns the tip of the chain at the commitment level in the options of a call.
 *
 * @throws RpcError when the chain has not reached the slot in the options
 */
export function tipOf(parameters: Parameters, position: number, chain: SolanaChain): Tip {
  const options = readOptions(parameters, position)
  const tip = chain.tip(readCommitment(options))
  requireSlot(options, tip.slot)
  return tip
}

/**
 * Returns the latest slot, because the chain stores only its state; the commitment level is validated, but otherwise
 * ignored.
 */
export function latestSlot(parameters: Parameters, position: number, chain: SolanaChain): bigint {
  const options = readOptions(parameters, position)
  readCommitment(options)
  const { slot } = chain.tip(CommitmentLevel.PROCESSED)
  requireSlot(options, slot)
  return slot
}

function requireSlot({ minContextSlot }: Readonly<Record<string, unknown>>, slot: bigint): void {
  if (minContextSlot === undefined || minContextSlot === null) return
  if (readUnsigned(minContextSlot, 'minContextSlot') > slot)
    throw new RpcError(RpcCode.minimumContextSlotNotReached, 'Minimum context slot has not been reached', {
      contextSlot: slot,
    })
}
