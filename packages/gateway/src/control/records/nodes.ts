import type { Kysely } from 'kysely'
import type { Sealer } from '../../credentials/sealing.ts'
import type { Database } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'
import { areSameUpstreams, openUpstreams, sealUpstreams } from './sealed-upstreams.ts'

/** What a new node is made of. */
export interface NewNode {
  readonly projectId: string
  readonly name: string
  readonly chain: string
  readonly network: string
  readonly protocols: readonly string[]
  /**
   * Upstreams by protocol, each one address or several with whitespace between; the word `devnet` stands for the embedded
   * chain.
   */
  readonly upstreams: Readonly<Record<string, string>>
  /** Whether the debug endpoints of the beacon node API are offered. Default true. */
  readonly beaconDebug?: boolean | undefined
  /** `configuration` when its row follows the service's configuration. */
  readonly managedBy?: 'configuration' | undefined
}

/** Creates a node and gives its id. */
export async function insertNode(db: Kysely<Database>, sealer: Sealer, node: NewNode): Promise<string> {
  return insertWithId('node', async (id) => {
    const row = await db
      .insertInto('nodes')
      .values({
        id,
        project_id: node.projectId,
        name: node.name,
        chain: node.chain,
        network: node.network,
        protocols: [...node.protocols],
        upstreams: sealUpstreams(sealer, id, node.upstreams),
        beacon_debug: node.beaconDebug,
        managed_by: node.managedBy ?? null,
      })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
}

/** Gives a node other upstreams. A row that already has them stays untouched, so nobody is notified. */
export async function setNodeUpstreams(
  db: Kysely<Database>,
  sealer: Sealer,
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
  const isSame =
    row.network === network &&
    row.protocols.join() === protocols.join() &&
    areSameUpstreams(openUpstreams(sealer, id, row.upstreams), upstreams)
  if (isSame) return
  await db
    .updateTable('nodes')
    .set({ network, protocols: [...protocols], upstreams: sealUpstreams(sealer, id, upstreams) })
    .where('id', '=', id)
    .execute()
  // What another node was found to offer says nothing about this one.
  await db.deleteFrom('node_methods').where('node_id', '=', id).execute()
}

/** Offers the debug endpoints of a node's beacon node API, or no longer. */
export async function setBeaconDebug(db: Kysely<Database>, id: string, beaconDebug: boolean): Promise<void> {
  await db
    .updateTable('nodes')
    .set({ beacon_debug: beaconDebug })
    .where('id', '=', id)
    .where('beacon_debug', '!=', beaconDebug)
    .execute()
}
