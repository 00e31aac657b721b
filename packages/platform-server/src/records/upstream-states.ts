import { type Kysely, sql } from 'kysely'
import { upstreamsOrNone } from '@fairlead/gateway-core/grants/parse-upstreams'
import { type Fingerprint, upstreamId } from '@fairlead/gateway-core/upstream/upstream-registry'
import type { Database } from '../store/database.ts'
import type { UpstreamTexts } from './encrypted-upstreams.ts'

/** An upstream of a node. */
export interface NodeUpstream {
  readonly nodeId: string
  /** Its {@link upstreamKey}. */
  readonly upstream: string
}

/** Position of an upstream in the record of its node. */
export interface UpstreamPlace {
  /** Name of the field in the record. */
  readonly field: string
  /** Index among the upstreams of the field, from 0. */
  readonly position: number
  readonly address: string
}

/** Returns the key of an upstream of a node. It does not depend on the position of the upstream. */
export function upstreamKey(field: string, id: string): string {
  return `${field}/${id}`
}

/** Returns the upstreams of a node by key. An upstream that is listed twice has its first position. */
export function upstreamPlaces(
  upstreams: UpstreamTexts,
  fingerprint: Fingerprint,
): ReadonlyMap<string, UpstreamPlace> {
  const places = new Map<string, UpstreamPlace>()
  for (const [field, text] of Object.entries(upstreams)) {
    for (const [position, record] of upstreamsOrNone(text).entries()) {
      const key = upstreamKey(field, upstreamId(record, field, fingerprint))
      if (!places.has(key)) places.set(key, { field, position, address: record.address })
    }
  }
  return places
}

/** Records upstreams that are down; returns those that were not down before. */
export async function markDown(
  db: Kysely<Database>,
  upstreams: readonly NodeUpstream[],
): Promise<readonly NodeUpstream[]> {
  const { rows } = await sql<NodeUpstream>`
    insert into upstream_states as known (node_id, upstream, state)
    select seen.node_id, seen.upstream, 'down' from ${seenRows(upstreams)} join nodes on nodes.id = seen.node_id
    order by 1, 2
    on conflict (node_id, upstream) do update set state = 'down', changed_at = clock_timestamp()
      where known.state <> 'down'
    returning node_id as "nodeId", upstream`.execute(db)
  return rows
}

/** Records upstreams that are up; returns those that were down before. */
export async function markUp(
  db: Kysely<Database>,
  upstreams: readonly NodeUpstream[],
): Promise<readonly NodeUpstream[]> {
  const { rows } = await sql<NodeUpstream>`
    update upstream_states as known set state = 'up', changed_at = clock_timestamp()
    from ${seenRows(upstreams)}
    where known.node_id = seen.node_id and known.upstream = seen.upstream and known.state = 'down'
    returning known.node_id as "nodeId", known.upstream`.execute(db)
  return rows
}

/** Deletes the states of upstreams that a node no longer has. */
export async function deleteFormerStates(
  db: Kysely<Database>,
  fingerprint: Fingerprint,
  nodeId: string,
  upstreams: UpstreamTexts,
): Promise<void> {
  const present = [...upstreamPlaces(upstreams, fingerprint).keys()]
  await db
    .deleteFrom('upstream_states')
    .where('node_id', '=', nodeId)
    .where(sql<boolean>`upstream <> all(${present}::text[])`)
    .execute()
}

function seenRows(upstreams: readonly NodeUpstream[]) {
  const nodeIds = upstreams.map(({ nodeId }) => nodeId)
  const keys = upstreams.map(({ upstream }) => upstream)
  return sql`unnest(${nodeIds}::text[], ${keys}::text[]) as seen (node_id, upstream)`
}
