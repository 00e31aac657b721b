import { type Kysely, sql } from 'kysely'
import type { CredentialKind, CredentialRecord } from '@fairlead/gateway-core/grants/grant'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import type { ChangedCredentials } from './credential-listeners.ts'
import type { Database } from './database.ts'
import { type NodeShare, anyOf, loadLimits, loadNodes } from './load-nodes.ts'

// Small enough that a page does not block requests for long, large enough that the queries are efficient.
const pageSize = 2_000

/**
 * Reads the currently valid node credentials, in the format of the gateway's in-memory directory: all of them, or those
 * in a scope. A credential in the scope that is missing in the result is no longer valid.
 */
export async function loadNodeCredentials(
  db: Kysely<Database>,
  encryptor: Encryptor,
  scope?: ChangedCredentials,
): Promise<CredentialRecord[]> {
  const records: CredentialRecord[] = []
  for await (const page of pagesOfNodeCredentials(db, encryptor, scope)) records.push(...page)
  return records
}

/**
 * Reads the same records page by page. Each page comes from a separate snapshot. Changes between two pages are notified
 * like any other change, so register a listener before the first page.
 */
export async function* pagesOfNodeCredentials(
  db: Kysely<Database>,
  encryptor: Encryptor,
  scope?: ChangedCredentials,
): AsyncGenerator<readonly CredentialRecord[]> {
  const nodes = new Map<string, NodeShare>()
  for (let last = ''; ;) {
    const rows = await loadPage(db, last, scope)
    const missing = new Set(rows.map((row) => row.nodeId).filter((id) => !nodes.has(id)))
    for (const [id, node] of await loadNodes(db, encryptor, [...missing])) nodes.set(id, node)
    const limits = await loadLimits(
      db,
      'credential',
      rows.map((row) => row.credentialId),
    )
    yield rows.flatMap(({ nodeId, sha256, credentialId, kind, expiresAt }) => {
      const node = nodes.get(nodeId)
      // The credentials of a deleted node are deleted with it.
      if (node === undefined) return []
      const credential = limits.get(credentialId)
      const grant = {
        ...node,
        credentialId,
        kind,
        ...(expiresAt !== null && { expiresAt }),
        ...(credential && { limits: { ...node.limits, credential } }),
      }
      return [{ sha256, grant }]
    })
    if (rows.length < pageSize) return
    last = rows.at(-1)?.credentialId ?? ''
  }
}

interface CredentialRow {
  readonly credentialId: string
  readonly nodeId: string
  readonly kind: CredentialKind
  readonly sha256: string
  readonly expiresAt: number | null
}

async function loadPage(
  db: Kysely<Database>,
  last: string,
  scope: ChangedCredentials | undefined,
): Promise<CredentialRow[]> {
  return db
    .selectFrom('node_credentials')
    .select([
      'id as credentialId',
      'node_id as nodeId',
      'kind',
      'sha256',
      sql<number | null>`cast(extract(epoch from expires_at) * 1000 as float8)`.as('expiresAt'),
    ])
    .where('id', '>', last)
    .where('revoked_at', 'is', null)
    .where((is) =>
      is.or([is('expires_at', 'is', null), is('expires_at', '>', sql<string>`clock_timestamp()`)]),
    )
    .$if(scope !== undefined, (query) =>
      query.where((is) =>
        is.or([
          is('id', '=', anyOf(scope?.credentialIds ?? [])),
          is('node_id', '=', anyOf(scope?.nodeIds ?? [])),
        ]),
      ),
    )
    .orderBy('id')
    .limit(pageSize)
    .execute()
}
