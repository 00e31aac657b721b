import { stripVTControlCharacters } from 'node:util'

/** Output format of a response. */
export interface OutputFormat {
  /** The response unchanged, as JSON. */
  readonly json: boolean
  /** Whether a person reads the output: aligned columns, and notes on standard error. */
  readonly terminal: boolean
}

/** Output of a command: the response, and a note for people that is not part of it. */
export interface CommandOutput {
  readonly text: string
  readonly note?: string | undefined
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
 * @param response - body of the response
 * @param columns - fields of a list to show, `a.b` for a field of a nested object; all fields when empty
 */
export function formatResponse(
  response: unknown,
  columns: readonly string[],
  { json, terminal }: OutputFormat,
): CommandOutput {
  if (json) return { text: response === undefined ? '' : JSON.stringify(response, undefined, 2) }
  if (response === undefined) return { text: '', note: 'done' }
  if (typeof response === 'string') return { text: response.replace(/\n$/, '') }
  if (isPage(response)) {
    const names = columns.length > 0 ? columns : Object.keys(response.results[0] ?? {})
    const rows = response.results.map((row) => names.map((name) => cell(fieldOf(row, name))))
    return { text: terminal ? aligned([names, ...rows]) : tabbed(rows), note: noteOf(response) }
  }
  const fields = Object.entries(response as Record<string, unknown>).map(([name, value]) => [
    name,
    cell(value),
  ])
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

function isPage(response: unknown): response is Page {
  return Array.isArray((response as Partial<Page> | null)?.results)
}

function noteOf({ count, next, results }: Page): string {
  const page = next === null ? undefined : new URL(next, 'http://localhost').searchParams.get('page')
  const hint = page ? `; --page ${page} shows the next page, --all shows all` : ''
  return `${results.length} of ${count}${hint}`
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
