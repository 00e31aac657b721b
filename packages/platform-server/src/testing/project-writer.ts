import { sql } from 'kysely'
import { insertProject } from '../records/projects.ts'
import { openStore } from '../store/open-store.ts'

// Runs as a child process that is killed at any time: writes projects over several connections at once and prints the
// id of each after its commit. An id in the output guarantees that the row is durable.
const [dataDirectory = '', organizationId = '', creatorId = ''] = process.argv.slice(2)
const store = await openStore({ dataDirectory })
process.stdout.write('ready\n')

async function write(writer: number): Promise<never> {
  for (let round = 0; ; round++) {
    const id = await store.db.transaction().execute(async (db) => {
      const project = { organizationId, creatorId, description: 'x'.repeat(500), type: 'public' } as const
      const inserted = await insertProject(db, { ...project, name: `${writer}-${round}` })
      // Some transactions contain more statements, so that a kill can also happen between two statements.
      if (round % 3 === 0) await sql`update organizations set name = ${`${writer}-${round}`}`.execute(db)
      return inserted
    })
    process.stdout.write(`${id}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
