import type { Kysely } from 'kysely'
import { type RecordOwner, countRecords } from '../records/count-records.ts'
import { lockOrganization } from '../records/organizations.ts'
import type { RecordLimits } from '../records/organization-limits.ts'
import type { Database } from '../store/database.ts'
import { PlatformError } from './platform-error.ts'

const nouns: Readonly<Record<keyof RecordLimits, readonly [owner: string, records: string]>> = {
  maxMembersPerOrganization: ['organization', 'members and pending invitations'],
  maxApiKeysPerOrganization: ['organization', 'valid API keys'],
  maxProjectsPerOrganization: ['organization', 'projects'],
  maxNodesPerOrganization: ['organization', 'nodes'],
  maxCredentialsPerOrganization: ['organization', 'valid credentials'],
  maxCredentialsPerNode: ['node', 'valid credentials'],
  maxWebhooksPerOrganization: ['organization', 'webhooks'],
}

/**
 * Asserts that new records do not exceed the limits, before they are written. Locks the organization until the
 * transaction ends, so that concurrent requests cannot exceed a limit together.
 *
 * @param added - number of new records by limit
 * @throws {@link PlatformError} `limit_reached`
 */
export async function assertWithinLimits(
  transaction: Kysely<Database>,
  limits: RecordLimits,
  owner: RecordOwner,
  added: Readonly<Partial<Record<keyof RecordLimits, number>>>,
): Promise<void> {
  await lockOrganization(transaction, owner.organizationId)
  for (const [limit, number] of Object.entries(added) as [keyof RecordLimits, number][]) {
    const maximum = limits[limit]
    if ((await countRecords(transaction, limit, owner)) + number <= maximum) continue
    const [of, records] = nouns[limit]
    throw new PlatformError('limit_reached', {
      message: `The ${of} may have at most ${maximum} ${records} (${limit}). Remove some, or ask the operator of the gateway to raise the limit.`,
    })
  }
}
