import { type Kysely, sql } from 'kysely'
import type { Encryptor } from '@fairlead/gateway-core/credentials/sealing'
import type {
  MethodAvailabilityStore,
  NodeMethodFinding,
  NodeToProbe,
} from '@fairlead/gateway-core/protocol/method-availability'
import { instant } from '../store/instant.ts'
import type { Database, NodeTransport } from '../store/database.ts'
import type { Store } from '../store/open-store.ts'
import { areSameUpstreams, openUpstreams } from './sealed-upstreams.ts'

/** What the last call of a method over one transport has shown. */
export interface NodeMethodRecord {
  readonly method: string
  readonly transport: NodeTransport
  readonly available: boolean
  readonly note: string
  /** Null when the method was not called but is known from others. */
  readonly latencyMs: number | null
  readonly probedAt: string
}

/**
 * Records in the database which methods nodes offer.
 *
 * @param protocols - names of those whose methods are probed
 */
export function createMethodAvailabilityStore(
  { db, encryptor }: Pick<Store, 'db' | 'encryptor'>,
  protocols: readonly string[],
): MethodAvailabilityStore {
  return {
    nodes: (maxAgeMinutes, nodeId) => nodesToProbe(db, encryptor, protocols, maxAgeMinutes, nodeId),
    record: (node, findings) => recordNodeMethods(db, encryptor, node, findings),
    forget: (nodeId) => forgetNodeMethods(db, nodeId),
  }
}

/** Reads the chain of an organization's node and what is recorded of its methods; undefined for any other node. */
export async function findNodeMethods(
  db: Kysely<Database>,
  organizationId: string,
  nodeId: string,
): Promise<{ readonly chain: string; readonly methods: readonly NodeMethodRecord[] } | undefined> {
  const node = await db
    .selectFrom('nodes as node')
    .innerJoin('projects as project', 'project.id', 'node.project_id')
    .select('node.chain')
    .where('node.id', '=', nodeId)
    .where('project.organization_id', '=', organizationId)
    .executeTakeFirst()
  if (node === undefined) return undefined
  const methods = await db
    .selectFrom('node_methods')
    .select(['method', 'transport', 'available', 'note', 'latency_ms as latencyMs'])
    .select(instant('probed_at').as('probedAt'))
    .where('node_id', '=', nodeId)
    .execute()
  return { chain: node.chain, methods }
}

/**
 * Records what the methods of a node have shown, all in one transaction. Methods that are not among the findings keep
 * what was recorded of them before. Nothing is recorded when the node is gone or has other upstreams by now.
 */
export async function recordNodeMethods(
  db: Kysely<Database>,
  encryptor: Encryptor,
  { nodeId, upstreams }: Pick<NodeToProbe, 'nodeId' | 'upstreams'>,
  findings: readonly NodeMethodFinding[],
): Promise<void> {
  if (findings.length === 0) return
  await db.transaction().execute(async (transaction) => {
    const node = await transaction
      .selectFrom('nodes')
      .select('upstreams')
      .where('id', '=', nodeId)
      .forUpdate()
      .executeTakeFirst()
    if (node === undefined) return
    if (!areSameUpstreams(openUpstreams(encryptor, nodeId, node.upstreams), upstreams)) return
    await transaction
      .insertInto('node_methods')
      .values(
        findings.map(({ latencyMs, ...finding }) => ({
          ...finding,
          node_id: nodeId,
          latency_ms: latencyMs,
          // The embedded database has an older time for now().
          probed_at: sql<string>`clock_timestamp()`,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['node_id', 'method', 'transport']).doUpdateSet((row) => ({
          available: row.ref('excluded.available'),
          withheld: row.ref('excluded.withheld'),
          code: row.ref('excluded.code'),
          note: row.ref('excluded.note'),
          latency_ms: row.ref('excluded.latency_ms'),
          probed_at: row.ref('excluded.probed_at'),
        })),
      )
      .execute()
  })
}

/** Drops what is recorded of the methods of a node, because something else answers there now. */
export async function forgetNodeMethods(db: Kysely<Database>, nodeId: string): Promise<void> {
  await db.deleteFrom('node_methods').where('node_id', '=', nodeId).execute()
}

/**
 * Reads the nodes whose methods are probed.
 *
 * @param db - the records
 * @param encryptor - opens the upstreams
 * @param protocols - that have such methods; a node has one of them
 * @param maxAgeMinutes - a node is due when its methods were never called, or last longer ago than this
 * @param nodeId - to read only this one
 */
export async function nodesToProbe(
  db: Kysely<Database>,
  encryptor: Encryptor,
  protocols: readonly string[],
  maxAgeMinutes: number,
  nodeId?: string,
): Promise<readonly (NodeToProbe & { readonly isDue: boolean })[]> {
  const oldest = sql`clock_timestamp() - make_interval(mins => ${maxAgeMinutes})`
  const isDue = sql<boolean>`not exists (
    select from node_methods where node_id = node.id and probed_at > ${oldest})`
  const rows = await db
    .selectFrom('nodes as node')
    .innerJoin('projects as project', 'project.id', 'node.project_id')
    .select([
      'node.id as nodeId',
      'node.project_id as projectId',
      'project.organization_id as organizationId',
      'node.chain',
      'node.network',
      'node.protocols',
      'node.upstreams',
      isDue.as('isDue'),
    ])
    .where(sql<boolean>`node.protocols && ${[...protocols]}::text[]`)
    .$if(nodeId !== undefined, (query) => query.where('node.id', '=', nodeId ?? ''))
    .orderBy('node.id')
    .execute()
  return rows.map((node) => ({ ...node, upstreams: openUpstreams(encryptor, node.nodeId, node.upstreams) }))
}
