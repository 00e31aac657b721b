import { CommitmentLevel, GeyserDefinition } from '@fairlead/grpc/geyser'
import { GrpcError, implement, raw, Status, type Implementation } from '@fairlead/grpc-transport'
import type { SolanaChain, Tip } from '../../chain/solana-chain.ts'
import { isLevel } from './levels.ts'
import type { Broadcast } from './stream/broadcast.ts'
import { serveSubscription, type SubscriptionOptions } from './stream/subscription.ts'
import { versionText } from './version-text.ts'

// The plugin counts all blockhashes that a validator stores, including those that are too old for a transaction.
const blockhashLifetime = 300n

/**
 * Creates the Geyser service of a chain, without SubscribeDeshred, as in the plugin that most validators run.
 *
 * @param chain source of the unary responses and of replays
 * @param broadcast source of new updates for the streams
 */
export function createGeyserService(
  chain: SolanaChain,
  broadcast: Broadcast,
  options: SubscriptionOptions,
): Implementation {
  return implement(GeyserDefinition, {
    subscribe: raw((stream) => serveSubscription(stream, chain, broadcast, options)),
    subscribeReplayInfo: () => ({ firstAvailable: chain.firstAvailableSlot }),
    ping: ({ count }) => ({ count }),
    getLatestBlockhash: ({ commitment }) => {
      const tip = tipAt(chain, commitment)
      return { ...tip, lastValidBlockHeight: tip.blockHeight + blockhashLifetime }
    },
    getBlockHeight: ({ commitment }) => tipAt(chain, commitment),
    getSlot: ({ commitment }) => tipAt(chain, commitment),
    isBlockhashValid: ({ blockhash, commitment }) => ({
      slot: tipAt(chain, commitment).slot,
      valid: chain.isBlockhashValid(blockhash, commitment ?? CommitmentLevel.PROCESSED),
    }),
    getVersion: () => ({ version: versionText }),
  })
}

function tipAt(chain: SolanaChain, commitment: CommitmentLevel = CommitmentLevel.PROCESSED): Tip {
  if (!isLevel(commitment))
    throw new GrpcError(Status.INVALID_ARGUMENT, 'commitment must be PROCESSED, CONFIRMED or FINALIZED')
  return chain.tip(commitment)
}
