import { Kysely, PGliteDialect, PostgresDialect } from 'kysely'
import type { PoolConfig } from 'pg'
import type { Logger } from 'pino'
import { createEncryptor, type Encryptor } from '@fairlead/gateway-core/credentials/sealing'
import { readSecretKey } from '@fairlead/gateway-core/credentials/secret-key'
import { checkSecretKey } from './check-secret-key.ts'
import { type CredentialListener, credentialListeners } from './credential-listeners.ts'
import type { Database } from './database.ts'
import { openEmbeddedDatabase } from './embedded-database.ts'
import { keepLogRoom } from './log-room.ts'
import { migrate } from './migrate.ts'
import { allMigrations } from './migrations/all-migrations.ts'
import { listenToPostgres } from './postgres-listener.ts'
import { assertReachable, newPool, postgresConfig } from './postgres-pool.ts'

const channel = 'credentials_changed'

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** Address of a PostgreSQL server; without one the embedded database is used. */
  readonly databaseUrl?: string | undefined
  /** Folder of the embedded database, and of the secret key when none is given. */
  readonly dataDirectory: string
  /** What upstream addresses are sealed with, as 64 hex digits or in base64. */
  readonly secretKey?: string | undefined
  /** Told when the connection for change notifications is lost. */
  readonly log?: Logger | undefined
}

/** The control plane's database, migrated and ready. */
export interface Store {
  readonly db: Kysely<Database>
  readonly kind: 'embedded' | 'postgresql'
  /** Folder for what the database does not hold. */
  readonly dataDirectory: string
  /** Opens and seals the upstream addresses of nodes. */
  readonly encryptor: Encryptor
  /**
   * Calls the listener after every committed change of what a credential opens, by this process or another one, and
   * with `everything` whenever changes may have been missed. Returns the function that ends it.
   */
  onCredentialsChanged(listener: CredentialListener): () => void
  /**
   * Gives one session of the database to what needs several statements in a row of it, such as a cursor. It is no
   * transaction, and others are not kept waiting.
   */
  withSession<result>(use: (session: Kysely<Database>) => Promise<result>): Promise<result>
  /** Ends all connections and gives the data directory free. May be called more than once. */
  close(): Promise<void>
}

/**
 * Opens the control plane's database, PostgreSQL when an address is given and the embedded one otherwise, and brings
 * its schema up to date.
 * @throws StoreError when the embedded database is in use by another process, the address is no PostgreSQL
 *   URL, the database is newer than this version, or a migration fails.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl } = options
  // Before the key: a wrong address leaves no file behind.
  const config = databaseUrl === undefined ? undefined : postgresConfig(databaseUrl)
  const encryptor = createEncryptor(await readSecretKey(options.secretKey, options.dataDirectory))
  return config === undefined ? openEmbedded(options, encryptor) : openPostgres(config, options, encryptor)
}

async function openEmbedded(options: StoreOptions, encryptor: Encryptor): Promise<Store> {
  const { pglite, lock } = await openEmbeddedDatabase(options.dataDirectory)
  const db = new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) })
  const listeners = credentialListeners(options.log)
  const { dataDirectory, log } = options
  const endLogRoom = keepLogRoom({ db, dataDirectory, log })
  const close = once(async () => {
    await endLogRoom()
    // PGlite itself is closed too when no query has yet passed through the query layer.
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
  // It has one session only, which a connection of the query layer would keep from everybody else.
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
  // What has to be read as a whole takes its time, and takes no connection from requests that do not.
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

// Migrations get connections of their own: they may take longer than any query of a request is allowed to.
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
  // Before, so that no migration seals with a second key.
  await checkSecretKey(db, encryptor)
  await migrate(db, allMigrations(encryptor))
  await checkSecretKey(db, encryptor)
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= action())
}
