import type { Kysely } from 'kysely'
import type { CredentialKind } from '@fairlead/gateway-core/grants/grant'
import { type AuditAuthor, changesBetween, writeAudit } from '../../audit/write-audit.ts'
import { auditedCredential, presentCredential, secretOf } from '../../endpoints/present-credential.ts'
import { findNodeCredential, issueNodeCredential } from '../../records/node-credentials.ts'
import type { Database } from '../../store/database.ts'
import type { OperationContext } from '../operation-context.ts'
import { assertExists } from '../assert-exists.ts'

/** Fields of a new credential. */
export interface CredentialInput {
  readonly node: { readonly id: string }
  readonly kind: CredentialKind
  readonly label?: string | undefined
  readonly expiresAt?: string | null | undefined
}

/** Issues a credential to an authorized caller and writes an audit log entry. */
export async function issueCredential(
  transaction: Kysely<Database>,
  { encryptor, nodes }: Pick<OperationContext, 'encryptor' | 'nodes'>,
  author: AuditAuthor,
  { node, kind, label, expiresAt }: CredentialInput,
) {
  const isRevealed = nodes.revealCredentials ?? true
  const issued = await issueNodeCredential(transaction, {
    nodeId: node.id,
    kind,
    origin: 'user',
    label,
    expiresAt,
    ...(isRevealed && { encryptor }),
  })
  const record = assertExists(await findNodeCredential(transaction, node.id, issued.id))
  await writeAudit(transaction, author, {
    action: 'credential.create',
    object: { kind: 'credential', id: issued.id, name: record.label },
    changes: changesBetween(undefined, { node: node.id, ...auditedCredential(record) }),
  })
  return {
    version: record.version,
    shown: { ...presentCredential(record, isRevealed), ...secretOf(issued) },
  }
}
