import type { Kysely } from 'kysely'
import { apiKeyPrefix, equalInConstantTime, sha256Hex } from '../../credentials/secret.ts'
import { type ApiKeyIdentity, findValidApiKey } from '../records/api-keys.ts'
import type { Database } from '../store/database.ts'
import { PlatformError } from './platform-error.ts'

const bearer = /^bearer +(.+)$/i

/**
 * Finds out whose API key an Authorization header carries. A key that is unknown, revoked, expired or no key at all is
 * refused in one way, so that an answer does not tell which.
 * @throws {@link PlatformError} `not_authenticated`, `authentication_failed`
 */
export async function checkApiKey(
  db: Kysely<Database>,
  authorization: string | undefined,
): Promise<ApiKeyIdentity> {
  const key = bearer.exec(authorization?.trim() ?? '')?.[1]
  if (key === undefined) throw new PlatformError('not_authenticated')
  const prefix = apiKeyPrefix(key)
  const found = prefix === undefined ? undefined : await findValidApiKey(db, prefix)
  if (found === undefined || !equalInConstantTime(found.sha256, sha256Hex(key))) {
    throw new PlatformError('authentication_failed')
  }
  return found
}
