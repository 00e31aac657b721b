import type { TupleItem } from '@ton/core'

const none: TupleItem = { type: 'null' }

/**
 * Builds a list as the virtual machine keeps it: pairs of an item and the rest, which ends with null.
 *
 * @param items The items in their order.
 * @returns The list as one entry of a stack.
 */
export function buildList(items: readonly TupleItem[]): TupleItem {
  return items.reduceRight<TupleItem>((rest, item) => ({ type: 'tuple', items: [item, rest] }), none)
}

/**
 * Reads a list as the virtual machine keeps it.
 *
 * @param entry An entry of a stack.
 * @returns The items, or undefined for an entry that is no list; null is the empty one.
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
