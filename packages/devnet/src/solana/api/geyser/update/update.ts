import type {
  SlotStatus,
  SubscribeUpdateAccountInfo,
  SubscribeUpdateEntry,
  SubscribeUpdateTransactionInfo,
} from '@fairlead/grpc/geyser'
import type { SlotContent } from '../../../chain/solana-chain.ts'
import { keyText } from '../key-text.ts'
import { shareFrame, type SharedFrame } from './shared-frame.ts'
import { createParticipants, type Participants } from './participants.ts'

/** An account with the data for filters. */
export interface WrittenAccount {
  readonly info: SubscribeUpdateAccountInfo
  /** Text in the format of `keyText`. */
  readonly key: string
  readonly owner: string
}

/** A transaction with the data for filters. */
export interface ExecutedTransaction {
  readonly info: SubscribeUpdateTransactionInfo
  readonly participants: Participants
}

/** An update for subscribers; it is encoded when the first of them needs it. */
export type Update =
  | {
      readonly kind: 'account'
      readonly slot: bigint
      readonly written: WrittenAccount
      /** Frames by the key of their data slices. */
      readonly frames: FrameVariants
    }
  | {
      readonly kind: 'transaction'
      readonly executed: ExecutedTransaction
      readonly frame: SharedFrame
      readonly statusFrame: SharedFrame
    }
  | { readonly kind: 'entry'; readonly frame: SharedFrame }
  | { readonly kind: 'block'; readonly block: BlockView; readonly frames: FrameVariants }
  | { readonly kind: 'block-meta'; readonly frame: SharedFrame }
  | { readonly kind: 'slot'; readonly status: SlotStatus; readonly frame: SharedFrame }

/** A block with the data for filters, with one write of each account. */
export interface BlockView {
  readonly content: SlotContent
  readonly accounts: readonly WrittenAccount[]
  readonly transactions: readonly ExecutedTransaction[]
}

/** Shared frames of one update that differ in more than the filter names. */
export interface FrameVariants {
  /** Returns the frame of a variant, or creates it. */
  of(variant: string, make: () => Parameters<typeof shareFrame>[0]): SharedFrame
}

/** Prepares an account for filters. */
export function viewAccount(info: SubscribeUpdateAccountInfo): WrittenAccount {
  return { info, key: keyText(info.pubkey), owner: keyText(info.owner) }
}

/** Prepares a transaction for filters. */
export function viewTransaction(info: SubscribeUpdateTransactionInfo): ExecutedTransaction {
  return { info, participants: createParticipants(info) }
}

/** Creates the update of an account after a write. */
export function accountUpdate(slot: bigint, written: WrittenAccount): Update {
  return { kind: 'account', slot, written, frames: createVariants() }
}

/** Creates the update of a transaction, in full and as its status. */
export function transactionUpdate(slot: bigint, executed: ExecutedTransaction): Update {
  const { info } = executed
  const { signature, isVote, index, meta } = info
  return {
    kind: 'transaction',
    executed,
    frame: shareFrame({ $case: 'transaction', value: { transaction: info, slot } }),
    statusFrame: shareFrame({
      $case: 'transactionStatus',
      value: { slot, signature, isVote, index, err: meta?.err },
    }),
  }
}

/** Creates the update of an entry. */
export function entryUpdate(entry: SubscribeUpdateEntry): Update {
  return { kind: 'entry', frame: shareFrame({ $case: 'entry', value: entry }) }
}

/** Creates the update of a complete block. */
export function blockUpdate(block: BlockView): Update {
  return { kind: 'block', block, frames: createVariants() }
}

/** Creates the update with the metadata of a complete block. */
export function blockMetaUpdate({ meta }: SlotContent): Update {
  return { kind: 'block-meta', frame: shareFrame({ $case: 'blockMeta', value: meta }) }
}

/** Creates the update of a slot that has reached a status. */
export function slotUpdate(slot: bigint, parent: bigint, status: SlotStatus): Update {
  return {
    kind: 'slot',
    status,
    frame: shareFrame({ $case: 'slot', value: { slot, parent, status, deadError: undefined } }),
  }
}

function createVariants(): FrameVariants {
  const variants = new Map<string, SharedFrame>()
  return {
    of: (variant, make) => {
      const known = variants.get(variant)
      if (known !== undefined) return known
      const made = shareFrame(make())
      variants.set(variant, made)
      return made
    },
  }
}
