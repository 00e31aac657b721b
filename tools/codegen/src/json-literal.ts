/** Writes a value as a TypeScript literal, its keys without quotes where they need none. */
export function jsonLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
}

/** The same object with its keys sorted. */
export function sorted<value>(object: Readonly<Record<string, value>>): Record<string, value> {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
