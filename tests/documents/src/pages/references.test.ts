import { lexer, type Tokens, walkTokens } from 'marked'
import { expect, it } from 'vitest'
import { readPages } from './page.ts'

interface Table {
  readonly page: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const pages = readPages()

const tables: readonly Table[] = pages.flatMap(({ path, text }) => {
  const found: Table[] = []
  void walkTokens(lexer(text), (token) => {
    if (token.type !== 'table') return
    const { header, rows } = token as Tokens.Table
    const texts = (cells: readonly Tokens.TableCell[]) => cells.map((cell) => cell.text)
    found.push({ page: path, header: texts(header), rows: rows.map(texts) })
  })
  return found
})

/** The distinct names that a pattern finds in a page. */
function namesIn(path: string, pattern: RegExp): ReadonlySet<string> {
  const text = pages.find((page) => page.path === path)?.text ?? ''
  const names = new Set([...text.matchAll(pattern)].map(([, name = '']) => name))
  expect(names.size).toBeGreaterThan(10)
  return names
}

/** The pages with a table in which at least two rows begin with one of the names. */
function pagesWith(names: ReadonlySet<string>): readonly string[] {
  const matching = ({ rows }: Table) =>
    rows.filter(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].some(([, name = '']) => names.has(name)))
  return tables.filter((table) => matching(table).length > 1).map(({ page }) => page)
}

it('only the configuration reference has tables of options with their defaults', () => {
  const reference = 'docs/reference/configuration.md'
  const names = namesIn(reference, /^\| `(\w+)` +\| `[A-Z_]+`/gm)
  // Options of the clients have some of these names too.
  const ofGateway = tables.filter(({ page }) =>
    /^(?:docs\/|README|packages\/(?:gateway|platform-server))/.test(page),
  )
  const repeated = ofGateway.filter(
    ({ header, rows }) =>
      header.includes('Default') &&
      rows.some((cells) => cells.some((cell) => names.has(/^`(\w+)`$/.exec(cell)?.[1] ?? ''))),
  )
  expect([...new Set(repeated.map(({ page }) => page))]).toEqual([reference])
})

it('only the error reference has tables of error codes', () => {
  const reference = 'docs/reference/errors.md'
  const codes = namesIn(reference, /`((?!FAIRLEAD_)[A-Z]+_[A-Z_]+)`/g)
  expect(pagesWith(codes).filter((page) => page !== reference)).toEqual([])
})

it('only the page about metrics has tables of metrics', () => {
  const reference = 'docs/operations/metrics.md'
  const metrics = namesIn(reference, /`(fairlead_\w+)`/g)
  expect(pagesWith(metrics).filter((page) => page !== reference)).toEqual([])
})
