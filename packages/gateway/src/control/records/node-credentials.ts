import { type Kysely, sql } from 'kysely'
import type { CredentialKind } from '../../grants/node-grant.ts'
import {
  generateBasicCredential,
  generateNodeToken,
  generateXToken,
  sha256Hex,
} from '../../credentials/secret.ts'
import type { Database, SecretOrigin } from '../store/database.ts'
import { insertWithId } from '../store/record-id.ts'

interface IssuedByKind {
  token: { readonly id: string; readonly kind: 'token'; readonly token: string }
  'x-token': { readonly id: string; readonly kind: 'x-token'; readonly token: string }
  basic: { readonly id: string; readonly kind: 'basic'; readonly username: string; readonly password: string }
}

/** A new node credential; its plain secret exists in this answer only. */
export type IssuedNodeCredential<kind extends CredentialKind = CredentialKind> = IssuedByKind[kind]

/** Issues a credential of one kind for a node. Only its hash is stored, and the username of a basic one. */
export async function issueNodeCredential<kind extends CredentialKind>(
  db: Kysely<Database>,
  options: { readonly nodeId: string; readonly kind: kind; readonly origin: SecretOrigin },
): Promise<IssuedNodeCredential<kind>> {
  return insertWithId('nodeCredential', async (id) => {
    const credential = generators[options.kind](id)
    const row = await db
      .insertInto('node_credentials')
      .values({
        id,
        node_id: options.nodeId,
        kind: options.kind,
        sha256: sha256Hex(secretText(credential)),
        username: credential.kind === 'basic' ? credential.username : null,
        origin: options.origin,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    return row && credential
  })
}

/** Revokes a node credential; every process that listens for changes hears of it. */
export async function revokeNodeCredential(db: Kysely<Database>, id: string): Promise<void> {
  await db
    .updateTable('node_credentials')
    .set({ revoked_at: sql<string>`clock_timestamp()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute()
}

const generators: { readonly [kind in CredentialKind]: (id: string) => IssuedByKind[kind] } = {
  token: (id) => ({ id, kind: 'token', token: generateNodeToken() }),
  'x-token': (id) => ({ id, kind: 'x-token', token: generateXToken() }),
  basic: (id) => ({ id, kind: 'basic', ...generateBasicCredential() }),
}

function secretText(credential: IssuedNodeCredential): string {
  return credential.kind === 'basic' ? `${credential.username}:${credential.password}` : credential.token
}
