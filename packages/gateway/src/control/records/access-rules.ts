import type { Kysely } from 'kysely'
import type { AccessRule } from '../../grants/access-rule.ts'
import type { Database } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'

/** Most rules of one kind that a node may have. */
export const mostRules = 100

/**
 * Adds a rule to a node and gives its id; undefined when the node does not exist or has all the rules of this kind that
 * it may have. A value that the node has a rule for already gets the new action.
 */
export async function putAccessRule(
  db: Kysely<Database>,
  rule: AccessRule & { readonly nodeId: string; readonly active?: boolean | undefined },
): Promise<string | undefined> {
  const { nodeId, kind, value, action, active } = rule
  return db.transaction().execute(async (transaction) => {
    // Holds back others who add to the same node, so that the count below is right.
    const node = await transaction
      .selectFrom('nodes')
      .select('id')
      .where('id', '=', nodeId)
      .forUpdate()
      .executeTakeFirst()
    if (node === undefined) return undefined
    const rules = transaction
      .selectFrom('access_rules')
      .where('node_id', '=', nodeId)
      .where('kind', '=', kind)
    const existing = await rules.select('id').where('value', '=', value).executeTakeFirst()
    if (existing !== undefined) {
      await transaction
        .updateTable('access_rules')
        .set({ action, active: active ?? true })
        .where('id', '=', existing.id)
        .execute()
      return existing.id
    }
    const { count } = await rules.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()
    if (Number(count) >= mostRules) return undefined
    return insertWithId('accessRule', async (id) => {
      const row = await transaction
        .insertInto('access_rules')
        .values({ id, node_id: nodeId, kind, value, action, active })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
      return row?.id
    })
  })
}
