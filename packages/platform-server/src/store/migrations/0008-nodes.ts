import { type Kysely, sql } from 'kysely'

const text = sql`text collate "C"`

/** Fields of nodes and credentials that only the platform API needs, not the gateway's calls. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await extendNodes(db)
  await extendCredentials(db)
}

/** The organization and the folded name support lists of nodes, which are restricted to an organization. */
async function extendNodes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('nodes')
    .addColumn('organization_id', text, (column) => column.references('organizations.id'))
    .addColumn('name_folded', text)
    .addColumn('option', text)
    .execute()
  await sql`
    update nodes set name_folded = lower(nodes.name), organization_id = projects.organization_id
    from projects where projects.id = nodes.project_id`.execute(db)
  await foldOtherLetters(db)
  for (const column of ['organization_id', 'name_folded']) {
    await db.schema
      .alterTable('nodes')
      .alterColumn(column, (change) => change.setNotNull())
      .execute()
  }
  await db.schema
    .createIndex('nodes_by_name')
    .on('nodes')
    .columns(['organization_id', 'name_folded', 'name', 'id'])
    .execute()
  await db.schema
    .createIndex('nodes_by_time')
    .on('nodes')
    .columns(['organization_id', 'created_at', 'id'])
    .execute()
}

// Beyond ASCII, lower case in a database depends on its locale; JavaScript folds by Unicode.
async function foldOtherLetters(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from nodes where name ~ '[^ -~]'`.execute(db)
  for (const { id, name } of rows) {
    await sql`update nodes set name_folded = ${name.toLowerCase()} where id = ${id}`.execute(db)
  }
}

/** Uses of credentials are stored in a separate table, whose changes do not notify the credential directories. */
async function extendCredentials(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('node_credentials')
    .addColumn('label', text, (column) => column.notNull().defaultTo(''))
    .addColumn('secret', text)
    .addColumn('hint', text)
    .addColumn('replaced_by', text)
    .execute()
  await db.schema
    .createIndex('node_credentials_by_time')
    .on('node_credentials')
    .columns(['node_id', 'created_at', 'id'])
    .execute()
  await db.schema.dropIndex('node_credentials_by_node').execute()
  await db.schema
    .createTable('credential_uses')
    .addColumn('credential_id', text, (column) =>
      column.primaryKey().references('node_credentials.id').onDelete('cascade'),
    )
    .addColumn('last_used_at', 'timestamptz(6)', (column) => column.notNull())
    .addColumn('last_used_ip', text, (column) => column.notNull())
    .execute()
}
