import type { Success } from '../platform-api/platform-call.ts'
import type { IssuedNodeCredential, NodeCredentialRecord } from '../records/node-credentials.ts'

/**
 * Converts a credential to its form in the platform API.
 *
 * @param isRevealed - whether the gateway can show secrets again
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

/** Returns the secret of a new credential. */
export function secretOf(issued: IssuedNodeCredential): Success<'revealCredential'> {
  return issued.kind === 'basic'
    ? { username: issued.username, password: issued.password }
    : { token: issued.token }
}

/** The fields of a credential in the audit log. */
export function auditedCredential({ kind, label, expiresAt }: NodeCredentialRecord) {
  return { kind, label, expires_at: expiresAt }
}
