import { type Kysely, sql } from 'kysely'
import type { Limits } from '../../grants/limits.ts'
import type { Database, LimitOwner } from '../store/database.ts'

/** Sets what a credential, a node or a project may use; undefined takes every limit of its own away. */
export async function putLimits(
  db: Kysely<Database>,
  owner: { readonly kind: LimitOwner; readonly id: string },
  limits: Limits | undefined,
): Promise<void> {
  if (limits === undefined) {
    await db
      .deleteFrom('limits')
      .where('owner_kind', '=', owner.kind)
      .where('owner_id', '=', owner.id)
      .execute()
    return
  }
  // Both drivers take JSON as text, but only a cast keeps either from guessing another type.
  const json = sql<Limits>`cast(${JSON.stringify(limits)}::text as jsonb)`
  await db
    .insertInto('limits')
    .values({ owner_kind: owner.kind, owner_id: owner.id, limits: json })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_kind', 'owner_id'])
        .doUpdateSet({ limits: json })
        // What stays as it is is no change that anybody has to hear of.
        .where('limits.limits', 'is distinct from', json),
    )
    .execute()
}
