import { type Kysely, sql } from 'kysely'
import type { Database } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'

/** What a new node is made of. */
export interface NewNode {
  readonly projectId: string
  readonly name: string
  readonly chain: string
  readonly network: string
  readonly protocols: readonly string[]
  /** Upstream address by protocol; the word `devnet` stands for the embedded chain. */
  readonly upstreams: Readonly<Record<string, string>>
  /** `configuration` when its row follows the service's configuration. */
  readonly managedBy?: 'configuration' | undefined
}

/** Creates a node and gives its id. */
export async function insertNode(db: Kysely<Database>, node: NewNode): Promise<string> {
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
        upstreams: upstreamsJson(node.upstreams),
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
  id: string,
  node: Pick<NewNode, 'network' | 'protocols' | 'upstreams'>,
): Promise<void> {
  const upstreams = upstreamsJson(node.upstreams)
  const protocols = [...node.protocols]
  const moved = await db
    .updateTable('nodes')
    .set({ network: node.network, protocols, upstreams })
    .where('id', '=', id)
    .where((is) =>
      is.or([
        is('network', '!=', node.network),
        is('protocols', '!=', is.val(protocols)),
        is('upstreams', '!=', upstreams),
      ]),
    )
    .returning('id')
    .executeTakeFirst()
  // What another node was found to offer says nothing about this one.
  if (moved !== undefined) await db.deleteFrom('node_methods').where('node_id', '=', id).execute()
}

// Both drivers take JSON as text, but only a cast keeps either from guessing another type.
function upstreamsJson(upstreams: Readonly<Record<string, string>>) {
  return sql<Record<string, string>>`cast(${JSON.stringify(upstreams)}::text as jsonb)`
}
