import { type Kysely, sql } from 'kysely'
import type { CredentialRecord } from '../../credentials/node-grant.ts'
import type { Database } from './database.ts'

/** Reads every node credential that is valid now, in the form the access plane keeps in memory. */
export async function loadNodeCredentials(db: Kysely<Database>): Promise<CredentialRecord[]> {
  const rows = await db
    .selectFrom('node_credentials as credential')
    .innerJoin('nodes as node', 'node.id', 'credential.node_id')
    .innerJoin('projects as project', 'project.id', 'node.project_id')
    .select([
      sql<number | null>`cast(extract(epoch from credential.expires_at) * 1000 as float8)`.as('expiresAt'),
      'credential.id as credentialId',
      'credential.kind',
      'credential.sha256',
      'node.id as nodeId',
      'node.project_id as projectId',
      'project.organization_id as organizationId',
      'node.chain',
      'node.network',
      'node.protocols',
      'node.upstreams',
    ])
    .where('credential.revoked_at', 'is', null)
    .where((is) =>
      is.or([
        is('credential.expires_at', 'is', null),
        is('credential.expires_at', '>', sql<string>`clock_timestamp()`),
      ]),
    )
    .orderBy('credential.id')
    .execute()
  const withheld = await loadWithheldMethods(db)
  return rows.map(({ sha256, expiresAt, ...grant }) => {
    const withheldMethods = withheld.get(grant.nodeId)
    return {
      sha256,
      grant: {
        ...grant,
        ...(expiresAt !== null && { expiresAt }),
        ...(withheldMethods && { withheldMethods }),
      },
    }
  })
}

// One list for each node, which all of its credentials share.
async function loadWithheldMethods(db: Kysely<Database>): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db
    .selectFrom('node_methods')
    .select(['node_id', 'method'])
    .groupBy(['node_id', 'method'])
    .having(sql<boolean>`bool_and(withheld)`)
    .orderBy('method')
    .execute()
  const byNode = new Map<string, string[]>()
  for (const { node_id: nodeId, method } of rows) {
    const methods = byNode.get(nodeId)
    if (methods) methods.push(method)
    else byNode.set(nodeId, [method])
  }
  return byNode
}
