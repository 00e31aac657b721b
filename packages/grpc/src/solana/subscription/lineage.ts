import type { SubscribeUpdateBlockMeta } from '../../generated/geyser.ts'
import type { ForkNotice } from './notice.ts'

/** Finds slots that the chain has gone on without, by the parents of its blocks. */
export interface Lineage {
  /** Notes that the reader has something of a slot, and of which block if that is known from elsewhere. */
  note(slot: bigint, blockhash?: string): void
  /** Takes the head data of a complete block. */
  complete(block: Block): void
}

type Block = Pick<SubscribeUpdateBlockMeta, 'slot' | 'blockhash' | 'parentSlot' | 'parentBlockhash'>

// With so many blocks upon it, a block is final. A leader that has missed the blocks before its own makes a branch of four
// or eight that is lost as a rule, so that fewer blocks prove nothing.
const finalityBlocks = 32
// Only where blocks never follow one another.
const maxSlots = 1_000n

export function createLineage(onFork: (notice: ForkNotice) => void): Lineage {
  const blocks = new Map<bigint, Block>()
  const noted = new Map<bigint, string | undefined>()
  // What comes before was judged, and is forgotten.
  let settled = 0n

  /** Judges what lies between a final block and its parent, and what was delivered in the place of the parent. */
  const judge = ({ slot: child, parentSlot, parentBlockhash }: Block) => {
    for (const [slot, blockhash] of noted) {
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

  const settleBefore = (slot: bigint) => {
    if (slot <= settled) return
    settled = slot
    for (const old of blocks.keys()) if (old < slot) blocks.delete(old)
    for (const old of noted.keys()) if (old < slot) noted.delete(old)
  }

  return {
    note(slot, blockhash) {
      if (slot >= settled && !noted.has(slot)) noted.set(slot, blockhash)
    },
    complete({ slot, blockhash, parentSlot, parentBlockhash }) {
      if (slot < settled) return
      blocks.set(slot, { slot, blockhash, parentSlot, parentBlockhash })
      let depth = 0
      let final: bigint | undefined
      for (let at: Block | undefined = blocks.get(slot); at; at = parentOf(at)) {
        if (depth++ < finalityBlocks) continue
        final ??= at.slot
        judge(at)
      }
      settleBefore(final ?? slot - maxSlots)
    },
  }
}
