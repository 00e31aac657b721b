import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import type { Database, NodeTable } from '../store/database.ts'
import { instant } from '../store/instant.ts'
import { insertWithId } from '../store/record-id.ts'
import { putLimits } from './limits.ts'
import { decryptUpstreams, encryptUpstreams, type UpstreamTexts } from './encrypted-upstreams.ts'
import { deleteFormerStates } from './upstream-states.ts'

/** Fields of a new node. */
export interface NewNode {
  readonly projectId: string
  readonly name: string
  readonly chain: string
  readonly network: string
  readonly protocols: readonly string[]
  /**
   * Upstreams by protocol, each one URL or several separated by whitespace; the word `devnet` stands for the embedded
   * chain.
   */
  readonly upstreams: UpstreamTexts
  /** Whether the debug endpoints of the beacon node API are offered. Default true. */
  readonly beaconDebug?: boolean | undefined
  /** `configuration` when the row is updated from the gateway's configuration. */
  readonly managedBy?: 'configuration' | undefined
  /** The deployment option whose upstreams the node uses. */
  readonly option?: string | undefined
}

/** A node as stored. */
export interface NodeRecord {
  readonly id: string
  readonly name: string
  readonly project: { readonly id: string; readonly name: string }
  readonly chain: string
  readonly network: string
  readonly protocols: readonly string[]
  readonly upstreams: UpstreamTexts
  readonly beaconDebug: boolean
  readonly managedBy: 'configuration' | null
  readonly option: string | null
  readonly createdAt: string
  readonly version: number
}

/** Changeable fields of a node. */
export interface NodeChanges {
  readonly name?: string
  readonly network?: string
  readonly protocols?: readonly string[]
  readonly upstreams?: UpstreamTexts
  readonly beaconDebug?: boolean
  readonly option?: null
}

/** Filters, order and page of a list of nodes. */
export interface NodeQuery {
  readonly organizationId: string
  readonly projectId?: string | undefined
  readonly chain?: string | undefined
  readonly network?: string | undefined
  readonly name?: string | undefined
  readonly orderBy: 'name' | 'created_at'
  readonly descending: boolean
  readonly limit: number
  readonly offset: number
}

/** Creates a node and returns its id. */
export async function insertNode(db: Kysely<Database>, encryptor: Encryptor, node: NewNode): Promise<string> {
  return insertWithId('node', async (id) => {
    const row = await db
      .insertInto('nodes')
      .values({
        id,
        organization_id: (query) =>
          query.selectFrom('projects').select('organization_id').where('projects.id', '=', node.projectId),
        project_id: node.projectId,
        name: node.name,
        name_folded: node.name.toLowerCase(),
        chain: node.chain,
        network: node.network,
        protocols: [...node.protocols],
        upstreams: encryptUpstreams(encryptor, id, node.upstreams),
        beacon_debug: node.beaconDebug,
        managed_by: node.managedBy ?? null,
        option: node.option ?? null,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
}

/** Reads one node of an organization. */
export async function findNode(
  db: Kysely<Database>,
  encryptor: Encryptor,
  organizationId: string,
  id: string,
): Promise<NodeRecord | undefined> {
  const row = await selectNodes(db)
    .where('node.id', '=', id)
    .where('node.organization_id', '=', organizationId)
    .executeTakeFirst()
  return row && toRecord(encryptor, row)
}

/** Reads one page of nodes with the total number of matches; both come from one snapshot. */
export async function listNodes(
  db: Kysely<Database>,
  encryptor: Encryptor,
  query: NodeQuery,
): Promise<{ readonly count: number; readonly nodes: readonly NodeRecord[] }> {
  const direction = query.descending ? sql`desc` : sql`asc`
  const order = sql.join(
    orderColumns[query.orderBy].map((column) => sql`${sql.ref(`node.${column}`)} ${direction}`),
  )
  const matches = conditionOf(query)
  const rows = await selectNodes(db)
    // The subquery selects the ids of the page, so that only those rows are read in full.
    .where('node.id', 'in', (nodes) =>
      nodes
        .selectFrom('nodes as node')
        .select('node.id')
        .where(matches)
        .orderBy(order)
        .limit(query.limit)
        .offset(query.offset),
    )
    .select(sql<number>`(select cast(count(*) as integer) from nodes as node where ${matches})`.as('total'))
    .orderBy(order)
    .execute()
  return { count: rows[0]?.total ?? 0, nodes: rows.map((row) => toRecord(encryptor, row)) }
}

/**
 * Reads one node of an organization and locks it: others cannot change the node, its credentials, rules or limits until
 * the transaction ends.
 */
export async function lockNode(
  transaction: Kysely<Database>,
  encryptor: Encryptor,
  organizationId: string,
  id: string,
): Promise<NodeRecord | undefined> {
  const locked = await transaction
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .forUpdate()
    .executeTakeFirst()
  return locked && findNode(transaction, encryptor, organizationId, id)
}

/** Updates a locked node. */
export async function updateNode(
  transaction: Kysely<Database>,
  encryptor: Encryptor,
  id: string,
  changes: NodeChanges,
): Promise<void> {
  const { name, network, protocols, upstreams, beaconDebug, option } = changes
  await transaction
    .updateTable('nodes')
    .set({
      ...(name !== undefined && { name, name_folded: name.toLowerCase() }),
      ...(network !== undefined && { network }),
      ...(protocols !== undefined && { protocols: [...protocols] }),
      ...(upstreams !== undefined && { upstreams: encryptUpstreams(encryptor, id, upstreams) }),
      ...(beaconDebug !== undefined && { beacon_debug: beaconDebug }),
      ...(option !== undefined && { option }),
    })
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
  // Probe results of the previous upstreams do not apply to the new ones.
  if (upstreams !== undefined) {
    await transaction.deleteFrom('node_methods').where('node_id', '=', id).execute()
    await deleteFormerStates(transaction, encryptor.fingerprint, id, upstreams)
  }
}

/** Deletes a locked node with its credentials and rules, and all limits of the node and its credentials. */
export async function deleteNode(transaction: Kysely<Database>, id: string): Promise<void> {
  await transaction
    .deleteFrom('limits')
    .where('owner_kind', '=', 'credential')
    .where('owner_id', 'in', (query) =>
      query.selectFrom('node_credentials').select('id').where('node_id', '=', id),
    )
    .execute()
  await putLimits(transaction, { kind: 'node', id }, undefined)
  await transaction.deleteFrom('nodes').where('id', '=', id).execute()
}

const orderColumns = {
  name: ['name_folded', 'name', 'id'],
  created_at: ['created_at', 'id'],
} as const satisfies Record<string, readonly (keyof NodeTable)[]>

type NodeRow = Omit<NodeRecord, 'project' | 'upstreams'> & {
  readonly projectId: string
  readonly projectName: string
  readonly upstreams: string
}

function conditionOf({ organizationId, projectId, chain, network, name }: NodeQuery) {
  const conditions = [sql`node.organization_id = ${organizationId}`]
  if (projectId !== undefined) conditions.push(sql`node.project_id = ${projectId}`)
  if (chain !== undefined) conditions.push(sql`node.chain = ${chain}`)
  if (network !== undefined) conditions.push(sql`node.network = ${network}`)
  if (name !== undefined) {
    // The condition on the folded name lets the query use the index; the plain name has none.
    conditions.push(sql`node.name_folded = ${name.toLowerCase()} and node.name = ${name}`)
  }
  return sql<SqlBool>`${sql.join(conditions, sql` and `)}`
}

function selectNodes(db: Kysely<Database>) {
  return db
    .selectFrom('nodes as node')
    .innerJoin('projects as project', 'project.id', 'node.project_id')
    .select([
      'node.id',
      'node.name',
      'project.id as projectId',
      'project.name as projectName',
      'node.chain',
      'node.network',
      'node.protocols',
      'node.upstreams',
      'node.beacon_debug as beaconDebug',
      'node.managed_by as managedBy',
      'node.option',
      'node.version',
    ])
    .select(instant('node.created_at').as('createdAt'))
}

function toRecord(encryptor: Encryptor, row: NodeRow): NodeRecord {
  const { id, name, projectId, projectName, upstreams } = row
  return {
    id,
    name,
    project: { id: projectId, name: projectName },
    chain: row.chain,
    network: row.network,
    protocols: row.protocols,
    upstreams: decryptUpstreams(encryptor, id, upstreams),
    beaconDebug: row.beaconDebug,
    managedBy: row.managedBy,
    option: row.option,
    createdAt: row.createdAt,
    version: row.version,
  }
}
