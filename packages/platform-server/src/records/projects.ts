import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Database, ProjectTable, ProjectType } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'
import { putLimits } from './limits.ts'

/** A project as the platform API returns it. */
export interface ProjectRecord {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly type: ProjectType
  readonly members: number
  readonly networks: number
  readonly creator: {
    readonly id: string
    readonly email: string
    readonly first_name: string
    readonly last_name: string
    readonly organization: { readonly id: string; readonly name: string }
  }
  readonly created_at: string
}

/** Fields of a new project. */
export interface NewProject {
  readonly organizationId: string
  readonly creatorId: string
  readonly name: string
  readonly description: string
  readonly type: ProjectType
}

/** Changeable fields of a project. */
export type ProjectChanges = Partial<Pick<NewProject, 'name' | 'description' | 'type'>>

/** The changeable fields of a locked project, with its id and version. */
export interface LockedProject extends Required<ProjectChanges> {
  readonly id: string
  readonly version: number
}

/** Filters, order and page of a list of projects. */
export interface ProjectQuery {
  readonly organizationId: string
  readonly name?: string | undefined
  readonly type?: ProjectType | undefined
  readonly orderBy: 'name' | 'created_at'
  readonly descending: boolean
  readonly limit: number
  readonly offset: number
}

/** Creates a project and returns its id. */
export async function insertProject(db: Kysely<Database>, project: NewProject): Promise<string> {
  return insertWithId('project', async (id) => {
    const row = await db
      .insertInto('projects')
      .values({
        id,
        organization_id: project.organizationId,
        creator_id: project.creatorId,
        name: project.name,
        name_folded: project.name.toLowerCase(),
        description: project.description,
        type: project.type,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
}

/** Reads one project of an organization with its version. */
export async function findProject(
  db: Kysely<Database>,
  organizationId: string,
  id: string,
): Promise<{ readonly project: ProjectRecord; readonly version: number } | undefined> {
  const { rows } = await sql<ProjectRow>`
    with page as (
      select project.*, 1 as total, 1 as place
      from projects as project
      where project.organization_id = ${organizationId} and project.id = ${id}
    )
    ${projectsOfPage}`.execute(db)
  const row = rows[0]
  return row && { project: toRecord(row), version: row.version }
}

/**
 * Reads one project of an organization and locks it: others cannot change it or add to it until the transaction ends.
 */
export async function lockProject(
  transaction: Kysely<Database>,
  organizationId: string,
  id: string,
): Promise<LockedProject | undefined> {
  return transaction
    .selectFrom('projects')
    .select(['id', 'name', 'description', 'type', 'version'])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Updates a project. */
export async function updateProject(
  transaction: Kysely<Database>,
  id: string,
  changes: ProjectChanges,
): Promise<void> {
  const { name } = changes
  await transaction
    .updateTable('projects')
    .set({ ...changes, ...(name !== undefined && { name_folded: name.toLowerCase() }) })
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Deletes a locked project with its limits; returns false when it still has nodes. */
export async function deleteProject(transaction: Kysely<Database>, id: string): Promise<boolean> {
  const node = await transaction
    .selectFrom('nodes')
    .select('id')
    .where('project_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (node !== undefined) return false
  await putLimits(transaction, { kind: 'project', id }, undefined)
  await transaction.deleteFrom('projects').where('id', '=', id).execute()
  return true
}

/** Reads one page of projects with the total number of matches; both come from one snapshot. */
export async function listProjects(
  db: Kysely<Database>,
  query: ProjectQuery,
): Promise<{ count: number; projects: ProjectRecord[] }> {
  const conditions = [sql<SqlBool>`project.organization_id = ${query.organizationId}`]
  if (query.name !== undefined) {
    // The condition on the folded name lets the query use the index; the plain name has none.
    conditions.push(sql<SqlBool>`project.name_folded = ${query.name.toLowerCase()}`)
    conditions.push(sql<SqlBool>`project.name = ${query.name}`)
  }
  if (query.type !== undefined) conditions.push(sql<SqlBool>`project.type = ${query.type}`)
  const direction = query.descending ? sql`desc` : sql`asc`
  const order = sql.join(
    orderColumns[query.orderBy].map((column) => sql`${sql.ref(`project.${column}`)} ${direction}`),
  )
  // Counted in a separate subquery by an index-only scan: a window function would read each row of the list.
  const matching = sql`from projects as project where ${sql.join(conditions, sql` and `)}`
  const { rows } = await sql<ProjectRow>`
    with page as (
      select project.*, (select count(*) ${matching}) as total, row_number() over (order by ${order}) as place
      from (
        select project.* ${matching} order by ${order} limit ${query.limit} offset ${query.offset}
      ) as project
    )
    ${projectsOfPage}`.execute(db)
  return { count: rows[0]?.total ?? 0, projects: rows.map(toRecord) }
}

const orderColumns = {
  name: ['name_folded', 'name', 'id'],
  created_at: ['created_at', 'id'],
} as const satisfies Record<string, readonly (keyof ProjectTable)[]>

interface ProjectRow extends Omit<ProjectRecord, 'creator'> {
  readonly total: number
  readonly version: number
  readonly creator_id: string
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly organization_id: string
  readonly organization_name: string
}

// The counts are computed only for the rows of the page, not for all matches.
const projectsOfPage = sql`
  select
    page.total::int as total, page.version,
    page.id, page.name, page.description, page.type,
    to_char(page.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as created_at,
    (
      select count(*)::int from memberships
      join users on users.id = memberships.user_id
      where memberships.organization_id = page.organization_id and users.disabled_at is null
    ) as members,
    (
      select count(distinct (nodes.chain, nodes.network))::int from nodes where nodes.project_id = page.id
    ) as networks,
    creator.id as creator_id, creator.email, creator.first_name, creator.last_name,
    organization.id as organization_id, organization.name as organization_name
  from page
  join users as creator on creator.id = page.creator_id
  join organizations as organization on organization.id = page.organization_id
  order by page.place`

function toRecord(row: ProjectRow): ProjectRecord {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    type: row.type,
    members: row.members,
    networks: row.networks,
    creator: {
      id: row.creator_id,
      email: row.email,
      first_name: row.first_name,
      last_name: row.last_name,
      organization: { id: row.organization_id, name: row.organization_name },
    },
    created_at: row.created_at,
  }
}
