/** Writes a value of the wire so that the same things give the same text: members in order, hex digits in lower case. */
export function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === 'string') return /^0x[0-9a-f]*$/i.test(item) ? item.toLowerCase() : item
    if (item === null || typeof item !== 'object' || Array.isArray(item)) return item
    return Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  })
}
