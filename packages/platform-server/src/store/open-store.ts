import { Kysely, PGliteDialect, PostgresDialect } from 'kysely'
import type { PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { createEncryptor, type Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import { readSecretKey } from '@fairlead/gateway-core/credentials/secret-key'
import { checkSecretKey } from './check-secret-key.ts'
import { type CredentialListener, credentialListeners } from './credential-listeners.ts'
import type { Database } from './database.ts'
import { openEmbeddedDatabase } from './embedded-database.ts'
import { maintainSpareSegments } from './spare-segments.ts'
import { migrate } from './migrate.ts'
import { allMigrations } from './migrations/all-migrations.ts'
import { listenToPostgres } from './postgres-listener.ts'
import { assertReachable, newPool, postgresConfig } from './postgres-pool.ts'

const channel = 'credentials_changed'

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** URL of a PostgreSQL server; without one, the embedded database is used. */
  readonly databaseUrl?: string | undefined
  /** Folder of the embedded database, and of the secret key file when `secretKey` is not set. */
  readonly dataDirectory: string
  /** Key that encrypts upstream URLs at rest, as 64 hex digits or in base64. */
  readonly secretKey?: string | undefined
  /** Logs the loss of the connection for change notifications. */
  readonly log?: Logger | undefined
}

/** The control plane's database, migrated and ready. */
export interface Store {
  readonly db: Kysely<Database>
  readonly kind: 'embedded' | 'postgresql'
  /** Folder for data outside the database. */
  readonly dataDirectory: string
  /** Encrypts and decrypts the upstream URLs of nodes. */
  readonly encryptor: Encryptor
  /**
   * Calls the listener after every committed change that affects what a credential allows, by this process or another
   * one, and with `everything` whenever changes may have been missed. Returns a function that removes the listener.
   */
  onCredentialsChanged(listener: CredentialListener): () => void
  /**
   * Reserves one database session for several consecutive statements, such as those of a cursor. It does not open a
   * transaction and does not block other queries.
   */
  withSession<result>(use: (session: Kysely<Database>) => Promise<result>): Promise<result>
  /** Closes all connections and releases the data directory. May be called more than once. */
  close(): Promise<void>
}

/**
 * Opens the control plane's database, PostgreSQL when a URL is given and the embedded one otherwise, and migrates its
 * schema to the current version.
 * @throws StoreError when the embedded database is in use by another process, the URL is not a PostgreSQL URL, the
 *   database is newer than this version, or a migration fails.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl } = options
  // Before the key: an invalid URL must not leave a key file behind.
  const config = databaseUrl === undefined ? undefined : postgresConfig(databaseUrl)
  const encryptor = createEncryptor(await readSecretKey(options.secretKey, options.dataDirectory))
  return config === undefined ? openEmbedded(options, encryptor) : openPostgres(config, options, encryptor)
}

async function openEmbedded(options: StoreOptions, encryptor: Encryptor): Promise<Store> {
  const { pglite, lock } = await openEmbeddedDatabase(options.dataDirectory)
  const db = new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) })
  const listeners = credentialListeners(options.log)
  const { dataDirectory, log } = options
  const stopSegmentRecycling = maintainSpareSegments({ db, dataDirectory, log })
  const close = once(async () => {
    await stopSegmentRecycling()
    // If no query has used Kysely yet, `db.destroy()` does not close PGlite.
    await db.destroy()
    if (!pglite.closed) await pglite.close()
    lock.release()
  })
  try {
    await prepare(db, encryptor)
    await pglite.listen(channel, listeners.notify)
  } catch (error) {
    await close()
    throw error
  }
  const onCredentialsChanged = listeners.add
  // The embedded database has only one session; reserving it as a Kysely connection would block all other queries.
  return {
    db,
    kind: 'embedded',
    dataDirectory,
    encryptor,
    onCredentialsChanged,
    withSession: (use) => use(db),
    close,
  }
}

async function openPostgres(config: PoolConfig, options: StoreOptions, encryptor: Encryptor): Promise<Store> {
  await migratePostgres(config, encryptor)

  const pool = newPool({ ...config, max: 10, query_timeout: 15_000 })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  // Long reads get a separate pool, so that they do not use up the connections of short requests.
  const sessions = newPool({ ...config, max: 4, query_timeout: 600_000 })
  const sessionDb = new Kysely<Database>({ dialect: new PostgresDialect({ pool: sessions }) })
  const listeners = credentialListeners(options.log)
  const listening = await listenToPostgres(config, {
    channel,
    onNotification: listeners.notify,
    onLost: (error) => options.log?.warn({ err: error }, 'connection for change notifications lost'),
  })
  const close = once(async () => {
    await listening.stop()
    await db.destroy()
    await sessionDb.destroy()
    for (const each of [pool, sessions]) if (!each.ended) await each.end()
  })
  const { dataDirectory } = options
  const onCredentialsChanged = listeners.add
  const withSession: Store['withSession'] = (use) => sessionDb.connection().execute(use)
  return { db, kind: 'postgresql', dataDirectory, encryptor, onCredentialsChanged, withSession, close }
}

// Migrations get separate connections: they may take longer than the query timeout of requests allows.
async function migratePostgres(config: PoolConfig, encryptor: Encryptor): Promise<void> {
  const pool = newPool({ ...config, max: 2 })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  try {
    await assertReachable(db)
    await prepare(db, encryptor)
  } finally {
    await db.destroy()
    if (!pool.ended) await pool.end()
  }
}

async function prepare(db: Kysely<Database>, encryptor: Encryptor): Promise<void> {
  // Check before the migrations, so that none of them encrypts with a different key.
  await checkSecretKey(db, encryptor)
  await migrate(db, allMigrations(encryptor))
  await checkSecretKey(db, encryptor)
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= action())
}
