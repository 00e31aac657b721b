import { changesBetween, writeAudit } from '../../audit/write-audit.ts'
import type { Identity } from '../../identity/identity.ts'
import { assertEndsWith, assertExpiryOf } from '../../identity/key-bounds.ts'
import type { Scope } from '../../identity/scopes.ts'
import {
  addApiKeySecret,
  endApiKeySecrets,
  issueApiKey,
  revokeApiKey,
  updateApiKey,
} from '../../records/api-keys.ts'
import {
  type ApiKeyRecord,
  type ApiKeyScope,
  type VersionedApiKey,
  findApiKey,
  listApiKeys,
} from '../../records/api-key-list.ts'
import { createResponse, assertMatch } from '../operation-response.ts'
import { assertWithinLimits } from '../assert-within-limits.ts'
import type { OperationContext } from '../operation-context.ts'
import { envelope, rangeOf } from '../page-links.ts'
import type { Handlers } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { assertExists } from '../assert-exists.ts'
import { readExpiry } from '../read-expiry.ts'

/** The operations on API keys. */
export function apiKeyOperations({
  db,
  organizationLimits,
}: Pick<OperationContext, 'db' | 'organizationLimits'>): Pick<
  Handlers,
  'listApiKeys' | 'createApiKey' | 'getApiKey' | 'updateApiKey' | 'revokeApiKey' | 'rotateApiKey'
> {
  return {
    async listApiKeys({ identity, query, links }) {
      const { count, keys } = await listApiKeys(db, { ...visibleTo(identity), ...rangeOf(query) })
      return { ...envelope(count, query, links), results: keys }
    },

    async createApiKey(call) {
      const { identity, body } = call
      const { name, scopes } = body
      assertScopesOf(identity, scopes)
      const expiresAt = readExpiry('expires_at', body.expires_at)
      assertExpiryOf(identity, expiresAt ?? null)
      return db.transaction().execute(async (transaction) => {
        const { organizationId, userId: creatorId } = identity
        const options = { organizationId, creatorId, name, scopes, expiresAt, origin: 'user' } as const
        await assertWithinLimits(transaction, organizationLimits, identity, { maxApiKeysPerOrganization: 1 })
        const { id, key } = await issueApiKey(transaction, options)
        const found = assertExists(await findApiKey(transaction, visibleTo(identity), id))
        await writeAudit(transaction, call, {
          action: 'api_key.create',
          object: { kind: 'api_key', id, name },
          changes: changesBetween(undefined, auditedFields(found.key)),
        })
        return createResponse({ ...found.key, key }, { etag: found.version })
      })
    },

    async getApiKey({ identity, path }) {
      const found = await findApiKey(db, visibleTo(identity), path.id)
      if (found === undefined) throw new PlatformError('not_found')
      return createResponse(found.key, { etag: found.version })
    },

    async updateApiKey(call) {
      const { identity, path, body, ifMatch } = call
      const expiresAt = readExpiry('expires_at', body.expires_at)
      if (expiresAt !== undefined) assertExpiryOf(identity, expiresAt)
      return db.transaction().execute(async (transaction) => {
        const { key: before, version } = await lockKey(transaction, identity, path.id)
        assertMatch(ifMatch, version)
        if (before.state === 'revoked') throw conflict()
        const { name, scopes } = body
        const added = (scopes ?? []).filter((scope) => !before.scopes.includes(scope))
        assertScopesOf(identity, added)
        if (added.length > 0) {
          const end = expiresAt === undefined ? before.expires_at : expiresAt
          assertEndsWith(identity, 'add scopes to a key', end)
        }
        // A new expiry makes an expired key valid again.
        if (before.state === 'expired' && expiresAt !== undefined) {
          await assertWithinLimits(transaction, organizationLimits, identity, {
            maxApiKeysPerOrganization: 1,
          })
        }
        await updateApiKey(transaction, path.id, { name, scopes, expiresAt })
        const after = assertExists(await findApiKey(transaction, visibleTo(identity), path.id))
        await writeAudit(transaction, call, {
          action: 'api_key.update',
          object: { kind: 'api_key', id: path.id, name: after.key.name },
          changes: changesBetween(auditedFields(before), auditedFields(after.key)),
        })
        return createResponse(after.key, { etag: after.version })
      })
    },

    async revokeApiKey(call) {
      const { identity, path, ifMatch } = call
      await db.transaction().execute(async (transaction) => {
        const { key, version } = await lockKey(transaction, identity, path.id)
        assertMatch(ifMatch, version)
        if (key.state === 'revoked') return
        await revokeApiKey(transaction, path.id)
        await writeAudit(transaction, call, {
          action: 'api_key.revoke',
          object: { kind: 'api_key', id: path.id, name: key.name },
        })
      })
      return undefined
    },

    async rotateApiKey(call) {
      const { identity, path, body, ifMatch } = call
      return db.transaction().execute(async (transaction) => {
        const { key: before, version } = await lockKey(transaction, identity, path.id)
        assertMatch(ifMatch, version)
        if (before.state !== 'active') throw conflict()
        // The caller receives the new secret and with it all scopes of the key.
        assertScopesOf(identity, before.scopes)
        assertEndsWith(identity, 'rotate a key', before.expires_at)
        if (body.overlap_seconds > 0) {
          await assertWithinLimits(transaction, organizationLimits, identity, {
            maxApiKeysPerOrganization: 1,
          })
        }
        await endApiKeySecrets(transaction, path.id, body.overlap_seconds)
        const key = await addApiKeySecret(transaction, path.id)
        await updateApiKey(transaction, path.id, {})
        const after = assertExists(await findApiKey(transaction, visibleTo(identity), path.id))
        await writeAudit(transaction, call, {
          action: 'api_key.rotate',
          object: { kind: 'api_key', id: path.id, name: before.name },
          changes: changesBetween(prefixes(before), prefixes(after.key)),
        })
        return createResponse({ ...after.key, key }, { etag: after.version })
      })
    },
  }
}

/** The owner and admins see all keys of the organization; other members see those that they created. */
function visibleTo({ organizationId, role, userId }: Identity): ApiKeyScope {
  return role === 'owner' || role === 'admin' ? { organizationId } : { organizationId, creatorId: userId }
}

/** Finds a key that the caller may change, and locks it. */
async function lockKey(db: OperationContext['db'], identity: Identity, id: string): Promise<VersionedApiKey> {
  const found = await findApiKey(db, visibleTo(identity), id, { forUpdate: true })
  if (found === undefined) throw new PlatformError('not_found')
  if (found.creatorRole === 'owner' && identity.role !== 'owner') {
    throw new PlatformError('permission_denied', { message: 'Only the owner can change keys of the owner.' })
  }
  return found
}

function assertScopesOf({ scopes: callerScopes }: Identity, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !callerScopes.has(scope))
  if (missing.length === 0) return
  throw new PlatformError('permission_denied', {
    message: `A key cannot have scopes that its creator lacks: ${missing.join(', ')}.`,
  })
}

function conflict(): PlatformError {
  return new PlatformError('conflict', { message: 'The key is revoked or expired.' })
}

// The fields of a key in the audit log.
function auditedFields({ name, scopes, expires_at }: ApiKeyRecord) {
  return { name, scopes, expires_at }
}

function prefixes({ secrets }: ApiKeyRecord) {
  return { prefixes: secrets.map((secret) => secret.prefix) }
}
