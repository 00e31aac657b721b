import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { copyEmptyDatabase } from '@fairlead/vitest/database-template'
import { Kysely, PGliteDialect, PostgresDialect } from 'kysely'
import { Client } from 'pg'
import { createEncryptor } from '@fairlead/gateway-core/credentials/encryption'
import { readSecretKey } from '@fairlead/gateway-core/credentials/secret-key'
import type { Database } from '../store/database.ts'
import { type Store, openStore } from '../store/open-store.ts'
import { newPool } from '../store/postgres-pool.ts'
import { copyMigratedDatabase } from './database-template.ts'

/** A temporary database for one test file. */
export interface TemporaryDatabase {
  readonly dataDirectory: string
  readonly databaseUrl: string | undefined
  /**
   * Opens a store; with PostgreSQL, several stores can be open at once.
   *
   * @param secretKey - a separate key, which must be set before any other use; embedded databases share a key otherwise
   */
  open(secretKey?: string): Promise<Store>
  /** Runs no migration: returns a PostgreSQL database unchanged, and the embedded one without any tables. */
  empty(): Promise<Pick<Store, 'db' | 'encryptor'>>
  /** Closes all opened stores and removes the database and its folder. */
  remove(): Promise<void>
}

interface Backend {
  readonly name: string
  readonly create: () => Promise<TemporaryDatabase>
}

/** The embedded database, and PostgreSQL when TEST_DATABASE_URL names a server. */
export const allBackends: readonly Backend[] = [
  { name: 'embedded', create: () => temporaryDatabase(undefined) },
  ...optional(process.env['TEST_DATABASE_URL']).map((server) => ({
    name: 'postgresql',
    create: async () => temporaryDatabase(server),
  })),
]

/** Backends of most tests: PostgreSQL where available; `test:reality` runs them on the embedded database too. */
export const backends: readonly Backend[] = allBackends.slice(-1)

/** Creates a database for tests of any backend: PostgreSQL where available, as it starts in a third of the time. */
export function anyDatabase(): Promise<TemporaryDatabase> {
  return temporaryDatabase(process.env['TEST_DATABASE_URL'])
}

/** Creates an empty database: in a temporary folder, or a new one on a PostgreSQL server. */
export async function temporaryDatabase(server: string | undefined): Promise<TemporaryDatabase> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'fairlead-store-'))
  const name = `fairlead_test_${randomBytes(6).toString('hex')}`
  let databaseUrl: string | undefined
  if (server !== undefined) {
    await administer(server, `create database ${name}`)
    const url = new URL(server)
    url.pathname = `/${name}`
    databaseUrl = url.href
  } else {
    await copyMigratedDatabase(dataDirectory)
  }
  const stores: { close(): Promise<void> }[] = []
  return {
    dataDirectory,
    databaseUrl,
    async open(secretKey) {
      if (secretKey !== undefined && databaseUrl === undefined) await emptied(dataDirectory)
      const store = await openStore({ dataDirectory, databaseUrl, secretKey })
      stores.push(store)
      return store
    },
    async empty() {
      const pglite = databaseUrl === undefined ? await PGlite.create(await emptied(dataDirectory)) : undefined
      const dialect = pglite
        ? new PGliteDialect({ pglite })
        : new PostgresDialect({ pool: newPool({ connectionString: databaseUrl }) })
      const db = new Kysely<Database>({ dialect })
      stores.push({ close: () => db.destroy() })
      return { db, encryptor: createEncryptor(await readSecretKey(undefined, dataDirectory)) }
    },
    async remove() {
      await Promise.all(stores.map((store) => store.close()))
      await rm(dataDirectory, { recursive: true, force: true })
      if (server !== undefined) await administer(server, `drop database if exists ${name} with (force)`)
    },
  }
}

/** Removes the tables, including the stored check of the secret key. */
async function emptied(dataDirectory: string): Promise<string> {
  const directory = join(dataDirectory, 'control')
  await rm(directory, { recursive: true })
  await copyEmptyDatabase(dataDirectory)
  return directory
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

function optional<value>(value: value | undefined): value[] {
  return value === undefined ? [] : [value]
}
