import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { Client } from 'pg'
import type { Configuration } from '../configuration/options.ts'
import { migrationNames } from '@fairlead/platform-server/store/migrations/all-migrations'
import { DirectoryLockError, lockDirectory } from '@fairlead/runtime/directory-lock'
import { type Finding, ok, problem, warning } from './finding.ts'

const timeoutMs = 5_000
const oldestPostgres = 140_000

/** Checks the stores of records and shared counts: the database, and the store that replicas share. */
export async function examineStore(configuration: Configuration): Promise<readonly Finding[]> {
  const { databaseUrl, valkeyUrl } = configuration
  return [
    databaseUrl === undefined ? embedded(configuration) : await postgres(databaseUrl, configuration),
    ...(valkeyUrl === undefined ? [] : [await sharedStore(valkeyUrl)]),
  ]
}

function embedded({ dataDirectory, processes }: Configuration): Finding {
  const about = 'database'
  if (processes !== 1) {
    return problem(
      about,
      'the embedded database supports only one process',
      'set DATABASE_URL, or FAIRLEAD_PROCESSES=1',
    )
  }
  const lock = join(dataDirectory, 'control.lock')
  if (!existsSync(lock)) return ok(about, 'embedded')
  try {
    lockDirectory(lock).release()
    return ok(about, 'embedded')
  } catch (error) {
    if (!(error instanceof DirectoryLockError)) throw error
    return warning(
      about,
      'embedded, in use by a running gateway',
      'stop that gateway before you start another one with this data directory',
    )
  }
}

async function postgres(databaseUrl: string, { secretKey, dataDirectory }: Configuration): Promise<Finding> {
  const about = 'database'
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  })
  // The next query reports a connection that broke while it was idle.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows: settings } = await client.query<{ version: string }>('show server_version_num')
    const version = Number(settings[0]?.version ?? Object.values(settings[0] ?? {})[0])
    const seen = `PostgreSQL ${Math.floor(version / 10_000)}`
    if (version < oldestPostgres) return problem(about, seen, 'use PostgreSQL 14 or later')
    const newer = await unknownMigrations(client)
    if (newer.length > 0)
      return problem(about, `${seen}, written by a newer version of the gateway`, 'use that version')
    if (secretKey === undefined) {
      return warning(
        about,
        `${seen}; its encrypted values depend on the key file in ${dataDirectory}`,
        'set FAIRLEAD_SECRET_KEY to the same value for all replicas',
      )
    }
    return ok(about, seen)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'no response'
    return problem(
      about,
      `PostgreSQL is unavailable: ${code}`,
      'check that the server runs, and the user and database in DATABASE_URL',
    )
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function unknownMigrations(client: Client): Promise<readonly string[]> {
  const { rows: there } = await client.query<{ there: boolean }>(
    `select to_regclass('kysely_migration') is not null as there`,
  )
  if (there[0]?.there !== true) return []
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration')
  return rows.map(({ name }) => name).filter((name) => !migrationNames.includes(name))
}

async function sharedStore(url: string): Promise<Finding> {
  const about = 'shared store'
  const client = createClient({ url, socket: { connectTimeout: timeoutMs, reconnectStrategy: false } })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.ping()
    return ok(about, 'reachable')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'no response'
    return problem(
      about,
      `unavailable: ${code}`,
      'check that the server runs, and FAIRLEAD_VALKEY_URL; without it, each replica limits separately',
    )
  } finally {
    client.destroy()
  }
}
