import { Kysely, PGliteDialect, PostgresDialect, sql } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import type { Logger } from 'pino'
import type { Database } from './database.ts'
import { openEmbeddedDatabase } from './embedded-database.ts'
import { migrate } from './migrate.ts'
import { listenToPostgres } from './postgres-listener.ts'
import { StoreError } from './store-error.ts'

const channel = 'credentials_changed'

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** Address of a PostgreSQL server; without one the embedded database is used. */
  readonly databaseUrl?: string | undefined
  /** Folder of the embedded database. */
  readonly dataDirectory: string
  /** Told when the connection for change notifications is lost. */
  readonly log?: Logger | undefined
}

/** The control plane's database, migrated and ready. */
export interface Store {
  readonly db: Kysely<Database>
  readonly kind: 'embedded' | 'postgresql'
  /**
   * Calls the listener after every committed change of a node or a node credential, by this process or another one,
   * and whenever changes may have been missed. Returns the function that ends it.
   */
  onCredentialsChanged(listener: () => void): () => void
  /** Ends all connections and gives the data directory free. May be called more than once. */
  close(): Promise<void>
}

/**
 * Opens the control plane's database, PostgreSQL when an address is given and the embedded one otherwise, and brings
 * its schema up to date.
 * @throws {@link StoreError} when the embedded database is in use by another process, the address is no PostgreSQL
 *   URL, the database is newer than this version, or a migration fails.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl } = options
  return databaseUrl === undefined ? openEmbedded(options) : openPostgres(databaseUrl, options)
}

async function openEmbedded(options: StoreOptions): Promise<Store> {
  const { pglite, lock } = await openEmbeddedDatabase(options.dataDirectory)
  const db = new Kysely<Database>({ dialect: new PGliteDialect({ pglite }) })
  const listeners = newListeners(options.log)
  const close = once(async () => {
    // PGlite itself is closed too when no query has yet passed through the query layer.
    await db.destroy()
    if (!pglite.closed) await pglite.close()
    lock.release()
  })
  try {
    await migrate(db)
    await pglite.listen(channel, listeners.notify)
  } catch (error) {
    await close()
    throw error
  }
  return { db, kind: 'embedded', onCredentialsChanged: listeners.add, close }
}

async function openPostgres(databaseUrl: string, options: StoreOptions): Promise<Store> {
  assertPostgresUrl(databaseUrl)
  const config: PoolConfig = {
    connectionString: databaseUrl,
    application_name: 'fairlead',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  }
  await migratePostgres(config)

  const pool = newPool({ ...config, max: 10, query_timeout: 15_000 })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  const listeners = newListeners(options.log)
  const listening = await listenToPostgres(config, {
    channel,
    onNotification: listeners.notify,
    onLost: (error) => options.log?.warn({ err: error }, 'connection for change notifications lost'),
  })
  const close = once(async () => {
    await listening.stop()
    await db.destroy()
    if (!pool.ended) await pool.end()
  })
  return { db, kind: 'postgresql', onCredentialsChanged: listeners.add, close }
}

// Migrations get connections of their own: they may take longer than any query of a request is allowed to.
async function migratePostgres(config: PoolConfig): Promise<void> {
  const pool = newPool({ ...config, max: 2 })
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  try {
    // Asked on its own, so that a server that is away is told from a migration that fails.
    await sql`select 1`.execute(db).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
      throw new StoreError('STORE_INVALID', `The PostgreSQL server of DATABASE_URL cannot be used: ${code}.`)
    })
    await migrate(db)
  } finally {
    await db.destroy()
    if (!pool.ended) await pool.end()
  }
}

function newPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  // An idle connection that breaks is replaced by the pool; without a handler it would end the process.
  pool.on('error', () => {})
  return pool
}

// The driver's own complaint about a bad address quotes it, password included.
function assertPostgresUrl(databaseUrl: string): void {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined
  if (url?.protocol === 'postgres:' || url?.protocol === 'postgresql:') return
  throw new StoreError(
    'STORE_INVALID',
    'The database URL must have the form postgresql://user@host:port/database.',
  )
}

function newListeners(log: Logger | undefined): {
  add: (listener: () => void) => () => void
  notify: () => void
} {
  const listeners = new Set<{ readonly call: () => void }>()
  let pending = false
  return {
    add(listener) {
      // Wrapped, so that one function added twice is also called twice and removed one at a time.
      const entry = { call: listener }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    notify() {
      // Later, because the embedded database notifies while it still works on the query that caused it; and once for
      // all changes until then, because a listener loads everything anyway.
      if (pending) return
      pending = true
      setImmediate(() => {
        pending = false
        for (const { call } of listeners) {
          try {
            call()
          } catch (error) {
            log?.error({ err: error }, 'listener of credential changes failed')
          }
        }
      })
    },
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= action())
}
