import { type Kysely, sql } from 'kysely'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import type {
  MethodAvailabilityStore,
  NodeMethodFinding,
  NodeToProbe,
} from '@fairlead/gateway-core/protocol/method-availability'
import { instant } from '../store/instant.ts'
import type { Database, NodeTransport } from '../store/database.ts'
import type { Store } from '../store/open-store.ts'
import { areSameUpstreams, decryptUpstreams } from './encrypted-upstreams.ts'

/** Result of the last probe of a method over one transport. */
export interface NodeMethodRecord {
  readonly method: string
  readonly transport: NodeTransport
  readonly available: boolean
  readonly note: string
  /** Null when the method was not called and its availability follows from other calls. */
  readonly latencyMs: number | null
  readonly probedAt: string
}

/**
 * Creates a store that records in the database which methods nodes offer.
 *
 * @param protocols - names of the protocols whose methods are probed
 */
export function createMethodAvailabilityStore(
  { db, encryptor }: Pick<Store, 'db' | 'encryptor'>,
  protocols: readonly string[],
): MethodAvailabilityStore {
  return {
    nodes: (maxAgeMinutes, nodeId) => nodesToProbe(db, encryptor, protocols, maxAgeMinutes, nodeId),
    record: (node, findings) => recordNodeMethods(db, encryptor, node, findings),
    delete: (nodeId) => deleteNodeMethods(db, nodeId),
  }
}

/**
 * Reads the chain of an organization's node and its method records; undefined when the organization has no such node.
 */
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
 * Records the findings about a node's methods, all in one transaction. Methods without a finding keep their previous
 * record. Nothing is recorded when the node no longer exists or its upstreams have changed.
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
    if (!areSameUpstreams(decryptUpstreams(encryptor, nodeId, node.upstreams), upstreams)) return
    await transaction
      .insertInto('node_methods')
      .values(
        findings.map(({ latencyMs, ...finding }) => ({
          ...finding,
          node_id: nodeId,
          latency_ms: latencyMs,
          // In the embedded database, now() returns an older time.
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

/** Deletes the method records of a node, because its upstreams have changed. */
export async function deleteNodeMethods(db: Kysely<Database>, nodeId: string): Promise<void> {
  await db.deleteFrom('node_methods').where('node_id', '=', nodeId).execute()
}

/**
 * Reads the nodes whose methods are probed.
 *
 * @param db - the database
 * @param encryptor - decrypts the upstreams
 * @param protocols - names of the protocols with such methods; a node matches when it has at least one of them
 * @param maxAgeMinutes - a node is due when its last probe is older than this, or it was never probed
 * @param nodeId - restricts the result to this node
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
  return rows.map((node) => ({
    ...node,
    upstreams: decryptUpstreams(encryptor, node.nodeId, node.upstreams),
  }))
}
