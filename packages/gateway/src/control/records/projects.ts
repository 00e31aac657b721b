import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Database, ProjectTable, ProjectType } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'

/** A project as the platform API shows it. */
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

/** What a new project is made of. */
export interface NewProject {
  readonly organizationId: string
  readonly creatorId: string
  readonly name: string
  readonly description: string
  readonly type: ProjectType
}

/** Which projects to list, and in which order. */
export interface ProjectQuery {
  readonly organizationId: string
  readonly name?: string | undefined
  readonly type?: ProjectType | undefined
  readonly orderBy: 'name' | 'created_at'
  readonly descending: boolean
  readonly limit: number
  readonly offset: number
}

/** Creates a project and gives its id. */
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

/** Reads one project of an organization. */
export async function findProject(
  db: Kysely<Database>,
  organizationId: string,
  id: string,
): Promise<ProjectRecord | undefined> {
  const { rows } = await sql<ProjectRow>`
    with page as (
      select project.*, 1 as total, 1 as place
      from projects as project
      where project.organization_id = ${organizationId} and project.id = ${id}
    )
    ${projectsOfPage}`.execute(db)
  const row = rows[0]
  return row && toRecord(row)
}

/** Reads one page of projects with the number of all that match; both come from one snapshot. */
export async function listProjects(
  db: Kysely<Database>,
  query: ProjectQuery,
): Promise<{ count: number; projects: ProjectRecord[] }> {
  const conditions = [sql<SqlBool>`project.organization_id = ${query.organizationId}`]
  if (query.name !== undefined) conditions.push(sql<SqlBool>`project.name = ${query.name}`)
  if (query.type !== undefined) conditions.push(sql<SqlBool>`project.type = ${query.type}`)
  const direction = query.descending ? sql`desc` : sql`asc`
  const order = sql.join(
    orderColumns[query.orderBy].map((column) => sql`${sql.ref(`project.${column}`)} ${direction}`),
  )
  const { rows } = await sql<ProjectRow>`
    with page as (
      select project.*, count(*) over () as total, row_number() over (order by ${order}) as place
      from projects as project
      where ${sql.join(conditions, sql` and `)}
      order by ${order}
      limit ${query.limit} offset ${query.offset}
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
  readonly creator_id: string
  readonly email: string
  readonly first_name: string
  readonly last_name: string
  readonly organization_id: string
  readonly organization_name: string
}

// The counts are made for the rows of the page only, not for all that match.
const projectsOfPage = sql`
  select
    page.total::int as total,
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
