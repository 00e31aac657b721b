import type { SubscribeUpdateBlockMeta } from '../../generated/geyser.ts'
import type { ForkNotice } from './notice.ts'

/** Detects slots that are not part of the chain, by the parents of its blocks. */
export interface ForkTracker {
  /** Records that the reader has data of a slot, and of which block if that is already known. */
  record(slot: bigint, blockhash?: string): void
  /** Processes the block meta of a complete block. */
  complete(block: Block): void
}

type Block = Pick<SubscribeUpdateBlockMeta, 'slot' | 'blockhash' | 'parentSlot' | 'parentBlockhash'>

// A block with this many blocks on top of it is final. A leader that has missed the blocks before its own creates a
// branch of four or eight blocks that is usually lost, so fewer blocks prove nothing.
const finalityBlocks = 32
// Reached only when blocks never follow one another.
const maxSlots = 1_000n

export function createForkTracker(onFork: (notice: ForkNotice) => void): ForkTracker {
  const blocks = new Map<bigint, Block>()
  const recorded = new Map<bigint, string | undefined>()
  // Slots before this one were decided, and are removed.
  let minSlot = 0n

  /**
   * Decides about the slots between a final block and its parent, and about the block that was delivered instead of the
   * parent.
   */
  const detectForks = ({ slot: child, parentSlot, parentBlockhash }: Block) => {
    for (const [slot, blockhash] of recorded) {
      const previousBlockhash = blocks.get(slot)?.blockhash ?? blockhash
      const skipped = slot > parentSlot && slot < child
      const replaced =
        slot === parentSlot && previousBlockhash !== undefined && previousBlockhash !== parentBlockhash
      if (skipped) onFork({ kind: 'fork', slot, blockhash: undefined, previousBlockhash })
      if (replaced) onFork({ kind: 'fork', slot, blockhash: parentBlockhash, previousBlockhash })
    }
  }

  const parentOf = ({ slot, parentSlot, parentBlockhash }: Block) => {
    const parent = parentSlot < slot ? blocks.get(parentSlot) : undefined
    return parent?.blockhash === parentBlockhash ? parent : undefined
  }

  const evictBefore = (slot: bigint) => {
    if (slot <= minSlot) return
    minSlot = slot
    for (const key of blocks.keys()) if (key < slot) blocks.delete(key)
    for (const key of recorded.keys()) if (key < slot) recorded.delete(key)
  }

  return {
    record(slot, blockhash) {
      if (slot >= minSlot && !recorded.has(slot)) recorded.set(slot, blockhash)
    },
    complete({ slot, blockhash, parentSlot, parentBlockhash }) {
      if (slot < minSlot) return
      blocks.set(slot, { slot, blockhash, parentSlot, parentBlockhash })
      let depth = 0
      let final: bigint | undefined
      for (let at: Block | undefined = blocks.get(slot); at; at = parentOf(at)) {
        if (depth++ < finalityBlocks) continue
        final ??= at.slot
        detectForks(at)
      }
      evictBefore(final ?? slot - maxSlots)
    },
  }
}
