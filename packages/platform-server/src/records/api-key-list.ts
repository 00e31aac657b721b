import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Scope } from '../identity/scopes.ts'
import type { Role } from '../identity/role.ts'
import type { Database } from '../store/database.ts'

/** An API key as the platform API returns it. */
export interface ApiKeyRecord {
  readonly id: string
  readonly name: string
  readonly scopes: Scope[]
  readonly creator: { readonly id: string; readonly email: string }
  readonly created_at: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly last_used_ip: string | null
  readonly revoked_at: string | null
  readonly state: 'active' | 'expired' | 'revoked'
  readonly secrets: {
    readonly prefix: string
    readonly created_at: string
    readonly expires_at: string | null
    readonly last_used_at: string | null
  }[]
}

/** An API key with its version and its creator's role, which decides who may change it. */
export interface VersionedApiKey {
  readonly key: ApiKeyRecord
  readonly version: number
  /** Role of the creator; null when the creator is no longer a member. */
  readonly creatorRole: Role | null
}

/** Visible API keys. */
export interface ApiKeyScope {
  readonly organizationId: string
  /** Restricts the keys to those of this creator. */
  readonly creatorId?: string | undefined
}

const text = (column: RawBuilder<unknown>) =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

// The secrets are read only for the rows of the page.
const keysOfPage = sql`
  select
    page.total::int as total, page.version,
    page.id, page.name, page.scopes,
    jsonb_build_object('id', creator.id, 'email', creator.email) as creator,
    ${text(sql`page.created_at`)} as created_at,
    ${text(sql`page.expires_at`)} as expires_at,
    ${text(sql`page.last_used_at`)} as last_used_at,
    page.last_used_ip,
    ${text(sql`page.revoked_at`)} as revoked_at,
    case
      when page.revoked_at is not null then 'revoked'
      when page.expires_at <= clock_timestamp() then 'expired'
      else 'active'
    end as state,
    (
      select coalesce(
        jsonb_agg(
          jsonb_build_object(
            'prefix', secret.prefix,
            'created_at', ${text(sql`secret.created_at`)},
            'expires_at', ${text(sql`secret.expires_at`)},
            'last_used_at', ${text(sql`secret.last_used_at`)}
          )
          order by secret.created_at desc, secret.prefix
        ),
        '[]'
      )
      from api_key_secrets as secret
      where secret.key_id = page.id and (secret.expires_at is null or secret.expires_at > clock_timestamp())
    ) as secrets,
    (
      select membership.role from memberships as membership
      where membership.user_id = page.creator_id and membership.organization_id = page.organization_id
    ) as creator_role
  from page
  join users as creator on creator.id = page.creator_id
  order by page.created_at desc, page.id desc`

interface ApiKeyRow extends ApiKeyRecord {
  readonly total: number
  readonly version: number
  readonly creator_role: Role | null
}

function visible({ organizationId, creatorId }: ApiKeyScope): RawBuilder<SqlBool> {
  const creatorFilter = creatorId === undefined ? sql`` : sql`and key.creator_id = ${creatorId}`
  return sql`key.organization_id = ${organizationId} ${creatorFilter}`
}

/** Reads one page of API keys, newest first, with the total count; both come from one snapshot. */
export async function listApiKeys(
  db: Kysely<Database>,
  query: ApiKeyScope & { readonly limit: number; readonly offset: number },
): Promise<{ readonly count: number; readonly keys: ApiKeyRecord[] }> {
  const { rows } = await sql<ApiKeyRow>`
    with page as (
      select key.*, count(*) over () as total from api_keys as key
      where ${visible(query)}
      order by key.created_at desc, key.id desc
      limit ${query.limit} offset ${query.offset}
    )
    ${keysOfPage}`.execute(db)
  return { count: rows[0]?.total ?? 0, keys: rows.map((row) => toRecord(row).key) }
}

/**
 * Reads one API key.
 *
 * @param options - `forUpdate` locks it for a change
 */
export async function findApiKey(
  db: Kysely<Database>,
  scope: ApiKeyScope,
  id: string,
  options: { readonly forUpdate?: boolean } = {},
): Promise<VersionedApiKey | undefined> {
  const { rows } = await sql<ApiKeyRow>`
    with page as (
      select key.*, 1 as total from api_keys as key
      where ${visible(scope)} and key.id = ${id} ${options.forUpdate === true ? sql`for update` : sql``}
    )
    ${keysOfPage}`.execute(db)
  const row = rows[0]
  return row && toRecord(row)
}

function toRecord({ total: _total, version, creator_role: creatorRole, ...key }: ApiKeyRow): VersionedApiKey {
  return { key, version, creatorRole }
}
