import type { OperationId } from '@fairlead/platform-server/platform-api/platform-call'
import { routeTable } from './contract-violations.ts'
import type { SeedIds } from './seed-data.ts'

const kindsByName: Readonly<Record<string, keyof SeedIds>> = {
  rule_id: 'rule',
  credential_id: 'credential',
  delivery_id: 'delivery',
  project: 'project',
}

const kindsByPath: Readonly<Record<string, keyof SeedIds>> = {
  members: 'member',
  invitations: 'invitation',
  'api-keys': 'apiKey',
  sessions: 'session',
  projects: 'project',
  nodes: 'node',
  webhooks: 'webhook',
}

/** Returns the kind of object whose id a parameter is. Undefined if it is not an id. */
export function kindOf(id: OperationId, name: string): keyof SeedIds | undefined {
  if (name !== 'id') return kindsByName[name]
  const [, collection = ''] = /\/([a-z-]+)\/\{id\}/.exec(routeTable[id].path) ?? []
  return kindsByPath[collection]
}

/** The path parameters of an operation on existing objects. */
export function pathOf(id: OperationId, ids: SeedIds): Record<string, string> {
  return Object.fromEntries(
    Object.keys(routeTable[id].pathParameters).map((name) => {
      const kind = kindOf(id, name)
      if (kind === undefined) throw new Error(`What ${name} of ${id} is, is not known.`)
      return [name, ids[kind]]
    }),
  )
}

/** Every way to put ids of another organization into a path: each separately, and all together. */
export function foreignPaths(id: OperationId, own: SeedIds, foreign: SeedIds): Record<string, string>[] {
  const [ownPath, foreignPath] = [pathOf(id, own), pathOf(id, foreign)]
  const names = Object.keys(ownPath)
  const single = names.map((name) => ({ ...ownPath, [name]: foreignPath[name] ?? '' }))
  return names.length > 1 ? [...single, foreignPath] : single
}
