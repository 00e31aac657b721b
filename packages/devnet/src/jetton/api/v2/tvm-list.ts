import type { TupleItem } from '@ton/core'

const none: TupleItem = { type: 'null' }

/**
 * Builds a list in the representation of the virtual machine: nested pairs of an item and the rest, ending with null.
 *
 * @param items The items in their order.
 * @returns The list as one stack entry.
 */
export function buildList(items: readonly TupleItem[]): TupleItem {
  return items.reduceRight<TupleItem>((rest, item) => ({ type: 'tuple', items: [item, rest] }), none)
}

/**
 * Reads a list in the representation of the virtual machine.
 *
 * @param entry A stack entry.
 * @returns The items, or undefined for an entry that is not a list; null is the empty list.
 */
export function readList(entry: TupleItem): readonly TupleItem[] | undefined {
  const items: TupleItem[] = []
  let rest: TupleItem = entry
  while (rest.type === 'tuple') {
    const [item, next]: TupleItem[] = rest.items
    if (rest.items.length !== 2 || item === undefined || next === undefined) return undefined
    items.push(item)
    rest = next
  }
  return rest.type === 'null' ? items : undefined
}
