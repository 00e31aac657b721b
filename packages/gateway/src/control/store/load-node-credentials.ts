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
  return rows.map(({ sha256, ...grant }) => ({ sha256, grant }))
}
