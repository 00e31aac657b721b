/** Formats a value as a TypeScript literal. Keys are quoted only where necessary. */
export function jsonLiteral(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
}

/** Returns the same object with sorted keys. */
export function sorted<value>(object: Readonly<Record<string, value>>): Record<string, value> {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
