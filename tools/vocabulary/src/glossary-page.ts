import type { Glossary } from './glossary.ts'

export const glossaryPage = 'docs/reference/glossary.md'

const head = `# Glossary

[//]: # 'Generated from tools/vocabulary/glossary.yaml by: npm run vocabulary -- --write'

The terms of this documentation. Each has one meaning on every page, in the console, in errors, metrics and logs.
`

/** Makes the page of the documentation with all terms. */
export function pageOf({ terms }: Glossary): string {
  const sorted = Object.entries(terms).toSorted(([a], [b]) => a.localeCompare(b))
  const rows = [['Term', 'Meaning'], ...sorted] as readonly (readonly [string, string])[]
  const [first, second] = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lines = rows.map(
    ([term, meaning]) => `| ${term.padEnd(first ?? 0)} | ${meaning.padEnd(second ?? 0)} |`,
  )
  const rule = `| ${'-'.repeat(first ?? 0)} | ${'-'.repeat(second ?? 0)} |`
  return `${[head, lines[0], rule, ...lines.slice(1)].join('\n')}\n`
}
