import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'

/**
 * Encrypts upstream URLs, because they contain credentials: a dump of the database no longer shows them. The
 * `sealing_checks` table lets a process with a different key detect this before it causes damage.
 */
export function sealedUpstreams(encryptor: Encryptor): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await sql`
        create table sealing_checks (name text collate "C" primary key, sealed text collate "C" not null)`.execute(
        db,
      )
      await sql`
        insert into sealing_checks values ('secret key', ${encryptor.encrypt('secret key', 'sealing_checks')})`.execute(
        db,
      )
      await sql`alter table nodes add column sealed text collate "C"`.execute(db)
      const { rows } = await sql<{ id: string; upstreams: unknown }>`select id, upstreams from nodes`.execute(
        db,
      )
      for (const { id, upstreams } of rows) {
        const sealed = encryptor.encrypt(JSON.stringify(upstreams), id)
        await sql`update nodes set sealed = ${sealed} where id = ${id}`.execute(db)
      }
      await sql`alter table nodes drop column upstreams`.execute(db)
      await sql`alter table nodes rename column sealed to upstreams`.execute(db)
      await sql`alter table nodes alter column upstreams set not null`.execute(db)
      // Rewrites the table: a dropped column alone would remain in the database's files.
      await sql`
        alter table nodes alter column upstreams type text collate "C" using upstreams || ''`.execute(db)
    },
  }
}
