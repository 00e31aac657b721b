import { type Stringifier, stringify } from 'csv-stringify'

// Spreadsheets evaluate a cell that starts with one of these, including full-width and other forms, also after blanks.
const formula = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])/u

/**
 * Creates a stream that converts records to CSV (RFC 4180) with a header line. A text that a spreadsheet would evaluate
 * as a formula gets a `'` before it; null becomes an empty cell.
 *
 * @param columns - names of the fields, in the order of the columns
 */
export function createCsvStream(columns: readonly string[]): Stringifier {
  return stringify({
    header: true,
    columns: [...columns],
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    cast: { string: (text, { header }) => (!header && formula.test(text) ? `'${text}` : text) },
  })
}
