import { allScopes, type Scope } from '@fairlead/platform-server/identity/scopes'
import { issueApiKey } from '@fairlead/platform-server/records/api-keys'
import { insertSession } from '@fairlead/platform-server/records/sessions'
import { csrfTokenOf, newSessionToken } from '@fairlead/platform-server/sessions/session-cookie'
import type { Store } from '@fairlead/platform-server/store/open-store'

/** The headers that authenticate a caller. */
export type Caller = Readonly<Record<string, string>>

/** An unauthenticated caller. */
export const unauthenticated: Caller = {}

/** The person for whom a credential is created. */
export interface Person {
  readonly organizationId: string
  readonly userId: string
}

/** Creates an API key of a person, with all scopes unless others are given. */
export async function keyOf(
  { db }: Pick<Store, 'db'>,
  { organizationId, userId: creatorId }: Person,
  scopes: readonly Scope[] = allScopes,
): Promise<Caller & { readonly authorization: string }> {
  const options = { organizationId, creatorId, name: 'Key of a test', scopes, origin: 'user' } as const
  const { key } = await issueApiKey(db, options)
  return { authorization: `Bearer ${key}` }
}

/** Creates a session of a person as a page of the gateway uses it, over TLS. */
export async function sessionOf({ db }: Pick<Store, 'db'>, person: Person): Promise<Caller> {
  const token = newSessionToken()
  await insertSession(db, { ...person, token, ip: '192.0.2.1', userAgent: 'test', authenticationAge: 0 })
  return { cookie: `__Host-fairlead_session=${token}`, 'x-csrf-token': csrfTokenOf(token) }
}
