import { type Kysely, sql } from 'kysely'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import type { ProtocolDescription } from '@fairlead/gateway-core/protocol/description'
import type { ConfiguredNode } from '../records/configured-node.ts'
import { type NewNode, updateNode } from '../records/nodes.ts'
import { areSameUpstreams, decryptUpstreams } from '../records/encrypted-upstreams.ts'
import type { Database } from '../store/database.ts'
import { deploymentOptions } from './deployment-options.ts'

/** The database of nodes, and the available protocols. */
export interface NodeStore {
  readonly db: Kysely<Database>
  readonly encryptor: Encryptor
  readonly protocols: readonly ProtocolDescription[]
}

/**
 * Sets a node's upstreams. If the node is the configured one, also updates the nodes created from a deployment option.
 * A row that already has these upstreams is not written, so that no notification is sent.
 */
export async function setNodeUpstreams(
  { db, encryptor, protocols }: NodeStore,
  id: string,
  node: Pick<NewNode, 'network' | 'protocols' | 'upstreams'>,
): Promise<void> {
  await changeUpstreams(db, encryptor, id, node)
  const { rows } = await sql<{ chain: string }>`
    select chain from nodes where id = ${id} and managed_by = 'configuration'`.execute(db)
  const [configured] = rows
  if (configured !== undefined)
    await updateDependentNodes({ db, encryptor, protocols }, { ...node, ...configured })
}

async function updateDependentNodes(
  { db, encryptor, protocols }: NodeStore,
  configured: ConfiguredNode,
): Promise<void> {
  const options = new Map(deploymentOptions(protocols, configured).map((option) => [option.id, option]))
  const dependents = await db
    .selectFrom('nodes')
    .select(['id', 'option', 'protocols'])
    .where('option', 'is not', null)
    .orderBy('id')
    .execute()
  for (const { id, option, protocols: offered } of dependents) {
    // If the option no longer exists, the node keeps its upstreams.
    const selected = options.get(option ?? '')
    if (selected?.upstreams === undefined) continue
    const { upstreams } = selected
    await changeUpstreams(db, encryptor, id, { network: configured.network, protocols: offered, upstreams })
  }
}

async function changeUpstreams(
  db: Kysely<Database>,
  encryptor: Encryptor,
  id: string,
  node: Pick<NewNode, 'network' | 'protocols' | 'upstreams'>,
): Promise<void> {
  const { network, protocols, upstreams } = node
  const row = await db
    .selectFrom('nodes')
    .select(['network', 'protocols', 'upstreams'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return
  const isUnchanged =
    row.network === network &&
    row.protocols.join() === protocols.join() &&
    areSameUpstreams(decryptUpstreams(encryptor, id, row.upstreams), upstreams)
  if (!isUnchanged) await updateNode(db, encryptor, id, { network, protocols, upstreams })
}
