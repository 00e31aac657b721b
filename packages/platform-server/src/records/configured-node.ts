import type { Kysely } from 'kysely'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import type { Database } from '../store/database.ts'
import type { NewNode } from './nodes.ts'
import { decryptUpstreams } from './encrypted-upstreams.ts'

/** The node in the gateway's configuration. */
export type ConfiguredNode = Pick<NewNode, 'chain' | 'network' | 'upstreams'>

/** Reads the configuration from the node that is updated from it; undefined before the first start. */
export async function findConfiguredNode(
  db: Kysely<Database>,
  encryptor: Encryptor,
): Promise<ConfiguredNode | undefined> {
  const row = await db
    .selectFrom('nodes')
    .select(['id', 'chain', 'network', 'upstreams'])
    .where('managed_by', '=', 'configuration')
    .orderBy('created_at')
    .orderBy('id')
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id, chain, network, upstreams } = row
  return { chain, network, upstreams: decryptUpstreams(encryptor, id, upstreams) }
}

/** Enables or disables the debug endpoints of a node's beacon node API. */
export async function setBeaconDebug(db: Kysely<Database>, id: string, beaconDebug: boolean): Promise<void> {
  await db
    .updateTable('nodes')
    .set({ beacon_debug: beaconDebug })
    .where('id', '=', id)
    .where('beacon_debug', '!=', beaconDebug)
    .execute()
}
