import { type Kysely, sql } from 'kysely'
import type { CredentialUse } from '../credential-use/credential-use.ts'
import type { Database } from '../store/database.ts'

/** Stores the time and IP address of the last use of credentials; ignores uses older than the stored one. */
export async function writeCredentialUses(
  db: Kysely<Database>,
  uses: readonly CredentialUse[],
): Promise<void> {
  // All replicas use the same order; otherwise two of them could deadlock.
  const ordered = uses.toSorted((a, b) => (a.credentialId < b.credentialId ? -1 : 1))
  for (let at = 0; at < ordered.length; at += batchRows) {
    await writeRows(db, ordered.slice(at, at + batchRows))
  }
}

// Small enough that the embedded database is not blocked for long.
const batchRows = 500

async function writeRows(db: Kysely<Database>, uses: readonly CredentialUse[]): Promise<void> {
  // A credential may have been deleted in the meantime.
  await sql`
    insert into credential_uses as known (credential_id, last_used_at, last_used_ip)
    select used.id, date_trunc('minute', used.at), used.ip
    from unnest(
      ${uses.map(({ credentialId }) => credentialId)}::text[],
      ${uses.map(({ usedAt }) => new Date(usedAt).toISOString())}::timestamptz[],
      ${uses.map(({ address }) => address)}::text[]
    ) as used (id, at, ip)
    join node_credentials credential on credential.id = used.id
    on conflict (credential_id) do update set
      last_used_at = excluded.last_used_at,
      last_used_ip = excluded.last_used_ip
    where known.last_used_at <= excluded.last_used_at`.execute(db)
}
