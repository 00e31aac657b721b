import type { Family } from '@fairlead/codegen/src/families.ts'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Reads the families of a checkout. Empty without specifications. */
export function familiesIn(root: string): readonly Family[] {
  const file = join(root, 'specs/families.json')
  if (!existsSync(file)) return []
  const { families } = JSON.parse(readFileSync(file, 'utf8')) as {
    families: Record<string, Omit<Family, 'name'>>
  }
  return Object.entries(families).map(([name, family]) => ({ name, ...family }))
}
