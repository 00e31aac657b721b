import type { Address, ShardAccount } from '@ton/core'
import type { Block, JettonChain } from '../../chain/jetton-chain.ts'
import { liteServerFailure } from './failure.ts'
import { masterBlock } from './find-block.ts'

/** An account in the state of a masterchain block. */
export interface AccountAt {
  readonly address: Address
  readonly block: Block
  readonly state: ShardAccount
}

/**
 * Reads the state of an account.
 *
 * @param seqno Number of a masterchain block; the latest by default.
 * @throws {@link Failure} when that block is not stored, or the account has changed since: earlier states are not
 * stored.
 */
export async function accountAt(
  chain: JettonChain,
  address: Address,
  seqno: number | undefined,
): Promise<AccountAt> {
  const state = await chain.account(address)
  if (seqno === undefined) return { address, block: chain.head, state }
  const block = masterBlock(chain, seqno)
  if (state.lastTransactionLt > block.endLt)
    throw liteServerFailure(`state of block ${seqno} is already gc'd`)
  return { address, block, state }
}
