import type { Cell, TupleItem } from '@ton/core'

// The engine traverses cells on a stack of 64 KiB. A nesting depth of about 290 overflows it, and an engine with
// overwritten memory no longer responds. A TON node accepts messages of a depth of 512.
const deepest = 255

/** Whether a cell is shallow enough for the engine. */
export function isShallow(cell: Cell): boolean {
  return cell.depth() <= deepest
}

/**
 * Whether a stack is shallow enough for the engine, which receives it as cells: they nest like its tuples and lists.
 */
export function isShallowStack(items: readonly TupleItem[], levels = deepest): boolean {
  // Each item of a tuple except the last one is one cell deeper; a pair, of which lists consist, is one cell.
  const left = levels - Math.max(1, items.length - 1)
  if (left < 0) return false
  return items.every((item) => {
    if (item.type === 'tuple') return isShallowStack(item.items, left)
    return !('cell' in item) || item.cell.depth() <= left
  })
}
