import { type Kysely, sql } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import type { Database } from './database.ts'
import { StoreError } from './store-error.ts'

const usualConnectSeconds = '5'

/**
 * What every connection to the PostgreSQL of an address has in common. Of the parameters of libpq that the driver leaves
 * out, `connect_timeout` is read.
 *
 * @throws {@link StoreError} `STORE_INVALID` when the address is no PostgreSQL URL, or its `connect_timeout` no number
 * @see https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-CONNECT-TIMEOUT
 */
export function postgresConfig(databaseUrl: string): PoolConfig {
  // The driver's own complaint about a bad address quotes it, password included.
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') {
    const form = 'postgresql://user@host:port/database'
    throw new StoreError('STORE_INVALID', `The database URL must have the form ${form}.`)
  }
  const connectSeconds = url.searchParams.get('connect_timeout') ?? usualConnectSeconds
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

/** Makes a pool that outlives the connections that break. */
export function newPool(config: PoolConfig): Pool {
  const pool = new Pool(config)
  // An idle connection that breaks is replaced by the pool; without a handler it would end the process.
  pool.on('error', () => {})
  // The same for one in use that breaks between two queries of a transaction: the next query fails.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/**
 * Asks a server on its own, so that one that is away is told from a query that fails.
 *
 * @throws {@link StoreError} `STORE_INVALID` when it cannot be used
 */
export async function assertReachable(db: Kysely<Database>): Promise<void> {
  await sql`select 1`.execute(db).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer'
    throw new StoreError('STORE_INVALID', `The PostgreSQL server of DATABASE_URL cannot be used: ${code}.`)
  })
}
