import { type Kysely, sql } from 'kysely'
import type { Sealer } from '../../credentials/sealing.ts'
import { instant } from '../store/instant.ts'
import type { Database, NodeTransport } from '../store/database.ts'
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

/** What a call of a method has shown, to be recorded. */
export interface NodeMethodFinding extends Omit<NodeMethodRecord, 'probedAt'> {
  /** Whether the node does not have the method at all, so that it need not be asked. */
  readonly withheld: boolean
  /** Code of the error that was answered; null for a result. */
  readonly code: number | null
}

/** A node whose methods are to be called. */
export interface NodeToProbe {
  readonly nodeId: string
  readonly projectId: string
  readonly organizationId: string
  readonly chain: string
  readonly network: string
  readonly protocols: readonly string[]
  readonly upstreams: Readonly<Record<string, string>>
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
  sealer: Sealer,
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
    if (!areSameUpstreams(openUpstreams(sealer, nodeId, node.upstreams), upstreams)) return
    await transaction
      .insertInto('node_methods')
      .values(
        findings.map(({ latencyMs, ...finding }) => ({
          ...finding,
          node_id: nodeId,
          latency_ms: latencyMs,
          probed_at: sql<string>`now()`,
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

/**
 * Reads the EVM nodes whose methods were never called, or last longer ago than an age.
 *
 * @param db - the records
 * @param sealer - opens the upstreams
 * @param options - the age in hours; whether to read the embedded nodes, too, however fresh what is known of them is
 */
export async function nodesToProbe(
  db: Kysely<Database>,
  sealer: Sealer,
  { maxAgeHours, evenEmbedded }: { readonly maxAgeHours: number; readonly evenEmbedded: boolean },
): Promise<readonly NodeToProbe[]> {
  const oldest = sql`clock_timestamp() - make_interval(hours => ${maxAgeHours})`
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
    .where(sql<boolean>`'evm' = any(node.protocols)`)
    // Which nodes are embedded ones can be seen only once their upstreams are open.
    .$if(!evenEmbedded, (query) => query.where(isDue))
    .orderBy('node.id')
    .execute()
  return rows.flatMap(({ isDue: isOld, upstreams: sealed, ...node }) => {
    const upstreams = openUpstreams(sealer, node.nodeId, sealed)
    return isOld || upstreams['evm'] === 'devnet' ? [{ ...node, upstreams }] : []
  })
}
