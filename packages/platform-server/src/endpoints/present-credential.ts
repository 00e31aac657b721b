import type { Success } from '../platform-api/platform-call.ts'
import type { IssuedNodeCredential, NodeCredentialRecord } from '../records/node-credentials.ts'

/**
 * A credential as the platform API shows it.
 *
 * @param isRevealed - whether the service shows secrets again
 */
export function presentCredential(
  credential: NodeCredentialRecord,
  isRevealed: boolean,
): Success<'getCredential'> {
  const { id, kind, label, username, hint, state, secret } = credential
  return {
    id,
    kind,
    label,
    username,
    hint,
    state,
    can_reveal: isRevealed && secret !== null && state !== 'revoked',
    created_at: credential.createdAt,
    expires_at: credential.expiresAt,
    revoked_at: credential.revokedAt,
    last_used_at: credential.lastUsedAt,
    last_used_ip: credential.lastUsedIp,
    replaced_by: credential.replacedBy,
  }
}

/** The secret of a new credential. */
export function secretOf(issued: IssuedNodeCredential): Success<'revealCredential'> {
  return issued.kind === 'basic'
    ? { username: issued.username, password: issued.password }
    : { token: issued.token }
}

/** What the audit log says of a credential. */
export function auditedCredential({ kind, label, expiresAt }: NodeCredentialRecord) {
  return { kind, label, expires_at: expiresAt }
}
