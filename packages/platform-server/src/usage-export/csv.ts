// What a spreadsheet takes for the beginning of a formula, in full width and other forms too, also behind blanks.
const formula = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])/u
const quoted = /[",\r\n]/

/**
 * Writes one line of CSV as RFC 4180 has it. A text that a spreadsheet would take for a formula gets a `'` before it; null
 * is an empty cell.
 */
export function csvLine(cells: readonly (string | number | null)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
