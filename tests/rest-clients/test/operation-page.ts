import type { Route } from '@fairlead/core'

/** Compares operations by path, then by HTTP method. */
export function byPath(left: Route, right: Route): number {
  return order(left.path, right.path) || order(left.method, right.method)
}

/** Returns the lines of a Markdown table of counts. */
export function totalsTable(totals: readonly (readonly [name: string, count: number])[]): readonly string[] {
  const rows = totals.map(([name, count]) => [name, String(count)])
  return [['Operations', 'Number'], ['---', '---:'], ...rows].map(line)
}

/** Returns the lines of a Markdown table. */
export function tableOf(heading: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [heading, heading.map(() => '---'), ...rows].map(line)
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function order(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
