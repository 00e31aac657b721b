import { type Stringifier, stringify } from 'csv-stringify'

// A spreadsheet evaluates a cell that begins with one of these, full-width and other forms included, also after blanks.
const formula = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])/u

/**
 * Creates a stream that takes records and emits CSV as RFC 4180 defines it, with a header line. A text that a spreadsheet
 * would evaluate as a formula gets a `'` before it; null is an empty cell.
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
