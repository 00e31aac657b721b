import type { Kysely } from 'kysely'
import { wholeSeconds } from '../../access/admit/refusals.ts'
import { apiKeyPrefix, equalInConstantTime, sha256Hex } from '../../credentials/secret.ts'
import { type ApiKeyIdentity, findValidApiKey } from '../records/api-keys.ts'
import type { Database } from '../store/database.ts'
import type { GuessWatch } from '../../access/authenticate/guessing.ts'
import { PlatformError } from './platform-error.ts'

const bearer = /^bearer +(.+)$/i

/**
 * Finds out whose API key an Authorization header carries. A key that is unknown, revoked, expired or no key at all is
 * refused in one way, so that an answer does not tell which.
 *
 * @param guesses - counts the keys that are refused
 * @param address - of the client
 * @throws {@link PlatformError} `not_authenticated`, `authentication_failed`; `throttled` after too many of those
 */
export async function checkApiKey(
  { db, guesses }: { readonly db: Kysely<Database>; readonly guesses: GuessWatch | undefined },
  authorization: string | undefined,
  address: string,
): Promise<ApiKeyIdentity> {
  const key = bearer.exec(authorization?.trim() ?? '')?.[1]
  if (key === undefined) throw new PlatformError('not_authenticated')
  const prefix = apiKeyPrefix(key)
  const found = prefix === undefined ? undefined : await findValidApiKey(db, prefix)
  if (found === undefined || !equalInConstantTime(found.sha256, sha256Hex(key))) {
    const waitMs = guesses?.failed(address) ?? 0
    if (waitMs === 0) throw new PlatformError('authentication_failed')
    throw new PlatformError('throttled', { headers: { 'retry-after': String(wholeSeconds(waitMs)) } })
  }
  return found
}
