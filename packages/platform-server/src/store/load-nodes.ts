import { type Kysely, sql } from 'kysely'
import type { AccessRule } from '@fairlead/gateway-core/grants/access-rule'
import type { Limits } from '@fairlead/gateway-core/grants/limits'
import type { Grant } from '@fairlead/gateway-core/grants/grant'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import { decryptUpstreams } from '../records/encrypted-upstreams.ts'
import type { Database } from './database.ts'

/** The part of a grant that all credentials of a node share; their grants refer to the same lists and objects. */
export type NodeShare = Omit<Grant, 'credentialId' | 'kind' | 'expiresAt'>

/** Reads nodes with everything that their credentials grant. */
export async function loadNodes(
  db: Kysely<Database>,
  encryptor: Encryptor,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NodeShare>> {
  const rows = await db
    .selectFrom('nodes as node')
    .innerJoin('projects as project', 'project.id', 'node.project_id')
    .select([
      'node.id as nodeId',
      'node.project_id as projectId',
      'project.organization_id as organizationId',
      'node.chain',
      'node.network',
      'node.protocols',
      'node.upstreams',
      'node.beacon_debug as beaconDebug',
    ])
    .where('node.id', '=', anyOf(ids))
    .execute()
  const withheld = await loadWithheldMethods(db, ids)
  const rules = await loadAccessRules(db, ids)
  const limitsOfNodes = await loadLimits(db, 'node', ids)
  const limitsOfProjects = await loadLimits(db, 'project', [...new Set(rows.map((row) => row.projectId))])
  return new Map(
    rows.map(({ beaconDebug, ...row }) => {
      const withheldMethods = withheld.get(row.nodeId)
      const accessRules = rules.get(row.nodeId)
      const [node, project] = [limitsOfNodes.get(row.nodeId), limitsOfProjects.get(row.projectId)]
      const share: NodeShare = {
        ...row,
        upstreams: decryptUpstreams(encryptor, row.nodeId, row.upstreams),
        settings: { beaconDebug },
        ...(withheldMethods && { withheldMethods }),
        ...(accessRules && { accessRules }),
        ...((node ?? project) && { limits: { ...(node && { node }), ...(project && { project }) } }),
      }
      return [row.nodeId, share]
    }),
  )
}

/** Reads the limits of all given owners of one kind. */
export async function loadLimits(
  db: Kysely<Database>,
  kind: 'credential' | 'node' | 'project',
  ids: readonly string[],
): Promise<ReadonlyMap<string, Limits>> {
  const rows = await db
    .selectFrom('limits')
    .select(['owner_id', 'limits'])
    .where('owner_kind', '=', kind)
    .where('owner_id', '=', anyOf(ids))
    .execute()
  return new Map(rows.map((row) => [row.owner_id, row.limits]))
}

/** Right-hand side of a comparison with any of several texts, passed as one parameter. */
export function anyOf(texts: readonly string[]) {
  return sql<string>`any(${[...texts]}::text[])`
}

async function loadWithheldMethods(db: Kysely<Database>, ids: readonly string[]) {
  const rows = await db
    .selectFrom('node_methods')
    .select(['node_id', 'method'])
    .where('node_id', '=', anyOf(ids))
    .groupBy(['node_id', 'method'])
    .having(sql<boolean>`bool_and(withheld)`)
    .orderBy('method')
    .execute()
  return byNode(rows, ({ method }) => method)
}

async function loadAccessRules(db: Kysely<Database>, ids: readonly string[]) {
  const rows = await db
    .selectFrom('access_rules')
    .select(['node_id', 'kind', 'value', 'action'])
    .where('active', '=', true)
    .where('node_id', '=', anyOf(ids))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return byNode(rows, ({ kind, value, action }): AccessRule => ({ kind, value, action }))
}

function byNode<row extends { readonly node_id: string }, item>(
  rows: readonly row[],
  itemOf: (row: row) => item,
): ReadonlyMap<string, readonly item[]> {
  const lists = new Map<string, item[]>()
  for (const row of rows) {
    const list = lists.get(row.node_id)
    if (list) list.push(itemOf(row))
    else lists.set(row.node_id, [itemOf(row)])
  }
  return lists
}
