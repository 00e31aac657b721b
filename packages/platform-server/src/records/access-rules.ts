import { type Kysely, sql } from 'kysely'
import type { AccessRule, RuleKind } from '@fairlead/gateway-core/grants/access-rule'
import type { Database } from '../store/database.ts'
import { instant } from '../store/instant.ts'
import { insertWithId } from '../store/record-id.ts'

/** Maximum number of rules of one kind per node. */
export const maxRules = 100

/** A rule as stored. */
export interface AccessRuleRecord extends AccessRule {
  readonly id: string
  readonly active: boolean
  readonly createdAt: string
  readonly version: number
}

/** Changeable fields of a rule. */
export type AccessRuleChanges = Partial<Pick<AccessRuleRecord, 'value' | 'action' | 'active'>>

/**
 * Adds a rule to a node and returns its id; undefined when the node does not exist or has reached the maximum number of
 * rules of this kind. If the node already has a rule for the value, that rule gets the new action.
 */
export async function putAccessRule(
  db: Kysely<Database>,
  rule: AccessRule & { readonly nodeId: string; readonly active?: boolean | undefined },
): Promise<string | undefined> {
  const { nodeId, kind, value, action, active = true } = rule
  return db.transaction().execute(async (transaction) => {
    // Blocks concurrent inserts for the same node, so that the count is exact.
    const node = await transaction
      .selectFrom('nodes')
      .select('id')
      .where('id', '=', nodeId)
      .forUpdate()
      .executeTakeFirst()
    if (node === undefined) return undefined
    const existing = await findAccessRuleOf(transaction, nodeId, kind, value)
    if (existing !== undefined) {
      await updateAccessRule(transaction, existing, { action, active })
      return existing
    }
    if ((await countAccessRules(transaction, nodeId, kind)) >= maxRules) return undefined
    return insertAccessRule(transaction, { nodeId, kind, value, action, active })
  })
}

/** Adds a rule to a locked node and returns its id. */
export async function insertAccessRule(
  transaction: Kysely<Database>,
  rule: AccessRule & { readonly nodeId: string; readonly active: boolean },
): Promise<string> {
  const { nodeId, kind, value, action, active } = rule
  return insertWithId('accessRule', async (id) => {
    const row = await transaction
      .insertInto('access_rules')
      .values({ id, node_id: nodeId, kind, value, action, active })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst()
    return row?.id
  })
}

/** Finds the id of a node's rule for a value. */
export async function findAccessRuleOf(
  db: Kysely<Database>,
  nodeId: string,
  kind: RuleKind,
  value: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('access_rules')
    .select('id')
    .where('node_id', '=', nodeId)
    .where('kind', '=', kind)
    .where('value', '=', value)
    .executeTakeFirst()
  return row?.id
}

/** Counts a node's rules of one kind. */
export async function countAccessRules(
  db: Kysely<Database>,
  nodeId: string,
  kind: RuleKind,
): Promise<number> {
  const { count } = await db
    .selectFrom('access_rules')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('node_id', '=', nodeId)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Reads one rule of a node. */
export async function findAccessRule(
  db: Kysely<Database>,
  nodeId: string,
  id: string,
): Promise<AccessRuleRecord | undefined> {
  return selectRules(db).where('node_id', '=', nodeId).where('id', '=', id).executeTakeFirst()
}

/** Reads one page of a node's rules, oldest first, with the total count. */
export async function listAccessRules(
  db: Kysely<Database>,
  query: { readonly nodeId: string; readonly limit: number; readonly offset: number },
): Promise<{ readonly count: number; readonly rules: readonly AccessRuleRecord[] }> {
  const rows = await selectRules(db)
    .select(sql<number>`cast(count(*) over () as integer)`.as('total'))
    .where('node_id', '=', query.nodeId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  return { count: rows[0]?.total ?? 0, rules: rows }
}

/** Updates a rule; the caller must have locked its node. */
export async function updateAccessRule(
  transaction: Kysely<Database>,
  id: string,
  changes: AccessRuleChanges,
): Promise<void> {
  await transaction
    .updateTable('access_rules')
    .set(changes)
    .set((row) => ({ version: row('version', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Deletes a rule. */
export async function deleteAccessRule(transaction: Kysely<Database>, id: string): Promise<void> {
  await transaction.deleteFrom('access_rules').where('id', '=', id).execute()
}

function selectRules(db: Kysely<Database>) {
  return db
    .selectFrom('access_rules')
    .select(['id', 'kind', 'value', 'action', 'active', 'version'])
    .select(instant('created_at').as('createdAt'))
}
