import type { Import } from './read-imports.ts'

/**
 * Finds files that import themselves through others.
 *
 * @returns the files of all cycles, and those between two cycles, sorted; empty without a cycle
 */
export function cyclicFiles(imports: readonly Import[]): readonly string[] {
  let left = imports
  for (;;) {
    const importing = new Set(left.map(({ from }) => from))
    const imported = new Set(left.map(({ to }) => to))
    const kept = left.filter(({ from, to }) => imported.has(from) && importing.has(to))
    if (kept.length === left.length) return [...importing].toSorted()
    left = kept
  }
}
