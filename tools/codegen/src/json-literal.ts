/** Writes a value as a TypeScript literal with object keys in sorted order where `sort` asks for it. */
export function jsonLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
}

/** The same object with its keys sorted. */
export function sorted<value>(object: Readonly<Record<string, value>>): Record<string, value> {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
