import { postgresPrograms, startPostgres } from './postgres.ts'

/**
 * Starts a PostgreSQL server for the tests of the store if PostgreSQL is installed, unless TEST_DATABASE_URL names
 * another one or FAIRLEAD_TEST_DATABASE is `embedded`.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['FAIRLEAD_TEST_DATABASE'] === 'embedded') {
    delete process.env['TEST_DATABASE_URL']
    return undefined
  }
  if (process.env['TEST_DATABASE_URL'] !== undefined) return undefined
  if (postgresPrograms === undefined) {
    process.stdout.write('skipped: tests of the store on PostgreSQL: apt-get install postgresql\n')
    return undefined
  }
  const postgres = await startPostgres(postgresPrograms)
  // Workers inherit the environment. A busy machine may take long to start the process of a connection.
  process.env['TEST_DATABASE_URL'] = `${postgres.url}?connect_timeout=50`
  return () => postgres.stop()
}
