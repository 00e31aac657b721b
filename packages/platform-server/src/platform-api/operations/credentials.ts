import type { Kysely } from 'kysely'
import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import { auditedCredential, presentCredential } from '../../endpoints/present-credential.ts'
import { assertEndsWith, assertExpiryOf } from '../../identity/key-bounds.ts'
import { findLimits, putLimits } from '../../records/limits.ts'
import {
  findNodeCredential,
  listNodeCredentials,
  type NodeCredentialRecord,
  replaceNodeCredential,
  revokeNodeCredential,
  updateNodeCredential,
} from '../../records/node-credentials.ts'
import { findNode, lockNode } from '../../records/nodes.ts'
import type { Database } from '../../store/database.ts'
import { assertWithinLimits } from '../assert-within-limits.ts'
import { createResponse, assertMatch } from '../operation-response.ts'
import { orNotFound } from '../or-not-found.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { assertExists } from '../assert-exists.ts'
import { readExpiry } from '../read-expiry.ts'
import { issueCredential } from './issue-credential.ts'

type CredentialOperations = Pick<
  Handlers,
  | 'listCredentials'
  | 'createCredential'
  | 'getCredential'
  | 'updateCredential'
  | 'revokeCredential'
  | 'revealCredential'
  | 'rotateCredential'
>

/** The operations on the credentials of nodes. */
export function credentialOperations(
  context: Pick<OperationContext, 'db' | 'encryptor' | 'nodes' | 'protocols' | 'organizationLimits'>,
): CredentialOperations {
  const { db, encryptor, nodes, protocols } = context
  const isRevealed = nodes.revealCredentials ?? true

  const locked = async (
    transaction: Kysely<Database>,
    organizationId: string,
    path: { readonly id: string; readonly credential_id: string },
  ) => {
    const node = orNotFound(await lockNode(transaction, encryptor, organizationId, path.id))
    return {
      node,
      credential: orNotFound(await findNodeCredential(transaction, node.id, path.credential_id)),
    }
  }

  const assertMoreCredentials = (transaction: Kysely<Database>, organizationId: string, nodeId: string) =>
    assertWithinLimits(
      transaction,
      context.organizationLimits,
      { organizationId, nodeId },
      {
        maxCredentialsPerNode: 1,
        maxCredentialsPerOrganization: 1,
      },
    )

  return {
    async listCredentials({ identity, path, query, links }) {
      const node = orNotFound(await findNode(db, encryptor, identity.organizationId, path.id))
      const page = { nodeId: node.id, ...rangeOf(query) }
      const { count, credentials } = await listNodeCredentials(db, page)
      const results = credentials.map((credential) => presentCredential(credential, isRevealed))
      return { ...envelope(count, query, links), results }
    },

    async createCredential(call) {
      const { identity, path, body } = call
      const { kind, label } = body
      const expiresAt = readExpiry('expires_at', body.expires_at)
      assertExpiryOf(identity, expiresAt ?? null)
      return db.transaction().execute(async (transaction) => {
        const node = orNotFound(await lockNode(transaction, encryptor, identity.organizationId, path.id))
        const isSupported = protocols.some(
          ({ name, credentialKinds }) => node.protocols.includes(name) && credentialKinds.includes(kind),
        )
        if (kind === 'x-token' && !isSupported) {
          throw new PlatformError('invalid', { fields: { kind: ['Requires a node that offers gRPC.'] } })
        }
        await assertMoreCredentials(transaction, identity.organizationId, node.id)
        const input = { node, kind, label, expiresAt }
        const { shown, version } = await issueCredential(transaction, context, call, input)
        return createResponse(shown, { etag: version })
      })
    },

    async getCredential({ identity, path }) {
      const node = orNotFound(await findNode(db, encryptor, identity.organizationId, path.id))
      const credential = orNotFound(await findNodeCredential(db, node.id, path.credential_id))
      return createResponse(presentCredential(credential, isRevealed), { etag: credential.version })
    },

    async updateCredential(call) {
      const { label } = call.body
      const expiresAt = readExpiry('expires_at', call.body.expires_at)
      if (expiresAt !== undefined) assertExpiryOf(call.identity, expiresAt)
      return db.transaction().execute(async (transaction) => {
        const { node, credential } = await locked(transaction, call.identity.organizationId, call.path)
        const { id } = credential
        assertMatch(call.ifMatch, credential.version)
        if (credential.state === 'revoked') throw conflict('The credential is revoked.')
        if (label === undefined && expiresAt === undefined) {
          return createResponse(presentCredential(credential, isRevealed), { etag: credential.version })
        }
        // A new expiry makes an expired credential valid again.
        if (credential.state === 'expired' && expiresAt !== undefined) {
          await assertMoreCredentials(transaction, call.identity.organizationId, node.id)
        }
        await updateNodeCredential(transaction, id, {
          ...(label !== undefined && { label }),
          ...(expiresAt !== undefined && { expiresAt }),
        })
        const after = assertExists(await findNodeCredential(transaction, node.id, id))
        await writeAudit(transaction, call, {
          action: 'credential.update',
          object: objectOf(after),
          changes: changesBetween(auditedCredential(credential), auditedCredential(after)),
        })
        return createResponse(presentCredential(after, isRevealed), { etag: after.version })
      })
    },

    async revokeCredential(call) {
      return db.transaction().execute(async (transaction) => {
        const { credential } = await locked(transaction, call.identity.organizationId, call.path)
        assertMatch(call.ifMatch, credential.version)
        if (credential.state === 'revoked') return undefined
        await revokeNodeCredential(transaction, credential.id)
        await writeAudit(transaction, call, { action: 'credential.revoke', object: objectOf(credential) })
        return undefined
      })
    },

    async revealCredential(call) {
      return db.transaction().execute(async (transaction) => {
        const { credential } = await locked(transaction, call.identity.organizationId, call.path)
        const { id, kind, secret, state, username, expiresAt } = credential
        assertEndsWith(call.identity, 'show the secret of a credential', expiresAt)
        if (state === 'revoked') throw conflict('The credential is revoked.')
        if (!isRevealed || secret === null)
          throw conflict(
            'The secret of this credential is not stored. Rotate the credential to get a new one.',
          )
        await writeAudit(transaction, call, { action: 'credential.reveal', object: objectOf(credential) })
        const text = encryptor.decrypt(secret, id)
        return kind === 'basic' ? { username, password: text } : { token: text }
      })
    },

    async rotateCredential(call) {
      const { overlap_seconds: overlapSeconds } = call.body
      return db.transaction().execute(async (transaction) => {
        const { node, credential } = await locked(transaction, call.identity.organizationId, call.path)
        const { id, kind, label, expiresAt } = credential
        assertMatch(call.ifMatch, credential.version)
        if (credential.state !== 'active') throw conflict(`The credential is ${credential.state}.`)
        if (credential.replacedBy !== null) throw conflict('The credential was already replaced.')
        assertEndsWith(call.identity, 'rotate a credential', expiresAt)
        if (overlapSeconds > 0)
          await assertMoreCredentials(transaction, call.identity.organizationId, node.id)
        const input = { node, kind, label, expiresAt }
        const { shown, version } = await issueCredential(transaction, context, call, input)
        const { limits, version: limitsVersion } = await findLimits(transaction, { kind: 'credential', id })
        if (limitsVersion > 0) await putLimits(transaction, { kind: 'credential', id: shown.id }, limits)
        await replaceNodeCredential(transaction, id, { replacedBy: shown.id, overlapSeconds })
        await writeAudit(transaction, call, {
          action: 'credential.rotate',
          object: objectOf(credential),
          changes: changesBetween({ replaced_by: null }, { replaced_by: shown.id }),
        })
        return createResponse(shown, { etag: version })
      })
    },
  }
}

function objectOf({ id, label }: NodeCredentialRecord) {
  return { kind: 'credential', id, name: label }
}

function conflict(message: string): PlatformError {
  return new PlatformError('conflict', { message })
}
