import type { Import } from './read-imports.ts'

/**
 * Finds files that import themselves through others.
 *
 * @returns the files of all cycles, and those between two cycles, sorted; empty without a cycle
 */
export function cyclicFiles(imports: readonly Import[]): readonly string[] {
  let remaining = imports
  for (;;) {
    const importing = new Set(remaining.map(({ from }) => from))
    const imported = new Set(remaining.map(({ to }) => to))
    const linked = remaining.filter(({ from, to }) => imported.has(from) && importing.has(to))
    if (linked.length === remaining.length) return [...importing].toSorted()
    remaining = linked
  }
}
