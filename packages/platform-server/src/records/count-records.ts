import { type Kysely, sql } from 'kysely'
import type { Database } from '../store/database.ts'
import { selectValidApiKeys, whereValidSecret } from './api-keys.ts'
import { selectOpenInvitations } from './invitations.ts'
import { selectValidCredentials } from './node-credentials.ts'
import type { RecordLimits } from './organization-limits.ts'

/** Whose records are counted. */
export interface RecordOwner {
  readonly organizationId: string
  /** Required for the limits of a node. */
  readonly nodeId?: string | undefined
}

const count = sql<number>`count(*)::int`.as('count')

type Counter = (db: Kysely<Database>, owner: RecordOwner) => Promise<{ readonly count: number }>

const counters: Readonly<Record<keyof RecordLimits, Counter>> = {
  maxMembersPerOrganization: async (db, { organizationId }) => {
    const members = await countRows(db, 'memberships', organizationId)
    const invitations = await selectOpenInvitations(db)
      .select(count)
      .where('invitation.organization_id', '=', organizationId)
      .executeTakeFirstOrThrow()
    return { count: members.count + invitations.count }
  },
  maxApiKeysPerOrganization: (db, { organizationId }) =>
    whereValidSecret(selectValidApiKeys(db))
      .select(count)
      .where('key.organization_id', '=', organizationId)
      .executeTakeFirstOrThrow(),
  maxProjectsPerOrganization: (db, { organizationId }) => countRows(db, 'projects', organizationId),
  maxNodesPerOrganization: (db, { organizationId }) => countRows(db, 'nodes', organizationId),
  maxCredentialsPerOrganization: (db, { organizationId }) =>
    selectValidCredentials(db)
      .innerJoin('nodes as node', 'node.id', 'credential.node_id')
      .select(count)
      .where('node.organization_id', '=', organizationId)
      .executeTakeFirstOrThrow(),
  maxCredentialsPerNode: (db, { nodeId = '' }) =>
    selectValidCredentials(db)
      .select(count)
      .where('credential.node_id', '=', nodeId)
      .executeTakeFirstOrThrow(),
  maxWebhooksPerOrganization: (db, { organizationId }) => countRows(db, 'webhooks', organizationId),
}

/** Counts the records that a limit is for. */
export async function countRecords(
  db: Kysely<Database>,
  limit: keyof RecordLimits,
  owner: RecordOwner,
): Promise<number> {
  return (await counters[limit](db, owner)).count
}

async function countRows(
  db: Kysely<Database>,
  table: 'memberships' | 'projects' | 'nodes' | 'webhooks',
  organizationId: string,
): Promise<{ readonly count: number }> {
  const rows = db.selectFrom(table).select(count).where('organization_id', '=', organizationId)
  return rows.executeTakeFirstOrThrow()
}
