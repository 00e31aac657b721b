import { type Kysely, sql } from 'kysely'
import { type Encryptor, EncryptionError } from '@fairlead/gateway-core/credentials/encryption'
import type { Database } from './database.ts'
import { StoreError } from './store-error.ts'

/**
 * Asserts that this process has the key that the database was encrypted with. A database without encrypted values
 * passes.
 * @throws {@link StoreError} `STORE_KEY` when the key is a different one
 */
export async function checkSecretKey(db: Kysely<Database>, encryptor: Encryptor): Promise<void> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('sealing_checks') is not null as there`.execute(db)
  if (rows[0]?.there !== true) return
  const checks = await db.selectFrom('sealing_checks').select('sealed').execute()
  try {
    for (const { sealed: encrypted } of checks) encryptor.decrypt(encrypted, 'sealing_checks')
  } catch (error) {
    if (!(error instanceof EncryptionError)) throw error
    throw new StoreError(
      'STORE_KEY',
      'The database was encrypted with another secret key. Set FAIRLEAD_SECRET_KEY to the key of the process that ' +
        'created the database, or copy its file secret.key to the data directory.',
    )
  }
}
