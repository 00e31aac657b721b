import { type Kysely, sql } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import type { Database } from './database.ts'
import { StoreError } from './store-error.ts'

const defaultConnectSeconds = '5'

/**
 * Creates the settings that all connections to a PostgreSQL URL share. Supports `connect_timeout`, a libpq parameter
 * that the driver ignores.
 *
 * @throws {@link StoreError} `STORE_INVALID` when the URL is not a PostgreSQL URL, or its `connect_timeout` is not a
 *   number
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-CONNECT-TIMEOUT
 */
export function postgresConfig(databaseUrl: string): PoolConfig {
  // Checked here, because the driver's own error for an invalid URL contains the URL with its password.
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') {
    const form = 'postgresql://user@host:port/database'
    throw new StoreError('STORE_INVALID', `The database URL must have the form ${form}.`)
  }
  const connectSeconds = url.searchParams.get('connect_timeout') ?? defaultConnectSeconds
  if (!/^\d{1,6}$/.test(connectSeconds)) {
    const rule = 'must be a whole number of seconds, or 0 for no limit'
    throw new StoreError('STORE_INVALID', `connect_timeout in the database URL ${rule}.`)
  }
  return {
    connectionString: databaseUrl,
    application_name: 'fairlead',
    connectionTimeoutMillis: Number(connectSeconds) * 1_000,
    keepAlive: true,
  }
}

/** Creates a pool that survives broken connections. */
export function newPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  // The pool replaces an idle connection that breaks; without a handler, the error would end the process.
  pool.on('error', () => {})
  // The same applies to a connection that breaks between two queries of a transaction: the next query fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Sends a test query, so that an unreachable server is reported separately from a failed query.
 *
 * @throws {@link StoreError} `STORE_INVALID` when the server cannot be used
 */
export async function assertReachable(db: Kysely<Database>): Promise<void> {
  await sql`select 1`.execute(db).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no response'
    throw new StoreError('STORE_INVALID', `The PostgreSQL server of DATABASE_URL is unavailable: ${code}.`)
  })
}
