import { stripVTControlCharacters } from 'node:util'

/** Output format of a response. */
export interface Shown {
  /** The response unchanged, as JSON. */
  readonly json: boolean
  /** Whether a person reads the output: aligned columns, and notes on standard error. */
  readonly terminal: boolean
}

/** Output of a command: the response, and a note for people that is not part of it. */
export interface Printed {
  readonly text: string
  readonly remark?: string | undefined
}

interface Page {
  readonly count: number
  readonly next: string | null
  readonly results: readonly Record<string, unknown>[]
}

/**
 * Formats a response. A list becomes a table: on a terminal aligned and with headings, otherwise as lines with tabs
 * between the cells. An object becomes one line per field.
 *
 * @param answer - body of the response
 * @param columns - fields of a list to show, `a.b` for a field of a nested object; all fields when empty
 */
export function showAnswer(answer: unknown, columns: readonly string[], { json, terminal }: Shown): Printed {
  if (json) return { text: answer === undefined ? '' : JSON.stringify(answer, undefined, 2) }
  if (answer === undefined) return { text: '', remark: 'done' }
  if (typeof answer === 'string') return { text: answer.replace(/\n$/, '') }
  if (isPage(answer)) {
    const names = columns.length > 0 ? columns : Object.keys(answer.results[0] ?? {})
    const rows = answer.results.map((row) => names.map((name) => cell(fieldOf(row, name))))
    return { text: terminal ? aligned([names, ...rows]) : tabbed(rows), remark: remarkOf(answer) }
  }
  const fields = Object.entries(answer as Record<string, unknown>).map(([name, value]) => [name, cell(value)])
  return { text: terminal ? aligned(fields) : tabbed(fields) }
}

/** Formats rows as aligned columns. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function tabbed(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.join('\t')).join('\n')
}

function isPage(answer: unknown): answer is Page {
  return Array.isArray((answer as Partial<Page> | null)?.results)
}

function remarkOf({ count, next, results }: Page): string {
  const page = next === null ? undefined : new URL(next, 'http://localhost').searchParams.get('page')
  const more = page ? `; --page ${page} shows the next page, --all shows all` : ''
  return `${results.length} of ${count}${more}`
}

function fieldOf(row: unknown, name: string): unknown {
  let value: unknown = row
  for (const part of name.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[part]
  return value
}

// Other users choose names, so control characters must neither move the cursor nor break a line.
function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return plain(value.join(','))
  if (typeof value === 'object') return plain(JSON.stringify(value))
  return plain(`${value as string | number | boolean}`)
}

function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}+/gu, ' ')
}
