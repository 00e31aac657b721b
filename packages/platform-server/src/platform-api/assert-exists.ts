/** Asserts that a row exists because of a foreign key or the transaction that it is read in. */
export function assertExists<value>(value: value | undefined): value {
  if (value === undefined) throw new Error('A row that must exist is missing.')
  return value
}
