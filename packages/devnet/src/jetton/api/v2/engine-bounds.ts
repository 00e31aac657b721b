import type { Cell, TupleItem } from '@ton/core'

// The engine walks through cells on a stack of 64 KiB. What is nested some 290 deep overflows it, and an engine whose
// memory was written over answers nothing any more. A node takes messages of a depth of 512.
const deepest = 255

/** Tells whether the engine can take a cell in. */
export function isShallow(cell: Cell): boolean {
  return cell.depth() <= deepest
}

/** Tells whether the engine can take a stack in, which it gets as cells: they nest as its tuples and lists do. */
export function isShallowStack(items: readonly TupleItem[], levels = deepest): boolean {
  // All items but the last one of a tuple are a cell deeper each; a pair, of which lists are made, is one cell.
  const left = levels - Math.max(1, items.length - 1)
  if (left < 0) return false
  return items.every((item) => {
    if (item.type === 'tuple') return isShallowStack(item.items, left)
    return !('cell' in item) || item.cell.depth() <= left
  })
}
