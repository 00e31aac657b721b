import type { Migration } from 'kysely/migration'
import * as initial from './0001-initial.ts'
import * as nodeMethods from './0002-node-methods.ts'

/**
 * Every migration by name, in the order of the names. A released migration is never changed and never removed; a
 * change of the schema is a new file and a new line here.
 */
export const allMigrations: Readonly<Record<string, Migration>> = {
  '0001-initial': initial,
  '0002-node-methods': nodeMethods,
}
