import type { LightMyRequestResponse } from 'fastify'
import type { Role } from '../identity/role.ts'
import { insertMember } from '../records/organizations.ts'
import { setPassword } from '../records/users.ts'
import { createPasswords } from '../sessions/passwords.ts'
import type { Success } from '../platform-api/platform-call.ts'
import type { PlatformFixture, TestRequest } from './platform-fixture.ts'

/** A browser that is signed in to the console, for tests. */
export interface Browser {
  readonly session: Success<'createSession'>
  /** The value of the Cookie header. */
  readonly cookie: string
  /** Sends a request as the console does: with the cookie and the session's CSRF token. */
  call(url: string, request?: TestRequest): Promise<LightMyRequestResponse>
}

/** The password of all users in tests. */
export const testPassword = 'a lantern on every pier'

/** The hash of {@link testPassword}, computed once because hashing is slow by design. */
let testHash: Promise<string> | undefined

/** Creates a member with a password and returns the user's id. */
export async function member(
  { store, first }: Pick<PlatformFixture, 'store' | 'first'>,
  email: string,
  role: Role,
): Promise<string> {
  const user = { email, firstName: 'F', lastName: 'L' }
  const id = await insertMember(store.db, { organizationId: first.organizationId, role, user })
  await setUserPassword({ store }, id)
  return id
}

/** Sets a user's password to {@link testPassword}. */
export async function setUserPassword(
  { store }: Pick<PlatformFixture, 'store'>,
  userId: string,
): Promise<void> {
  testHash ??= createPasswords().hash(testPassword)
  await setPassword(store.db, userId, { hash: await testHash, origin: 'user', mustChange: false })
}

/** Signs a user in. */
export async function signIn(
  fixture: Pick<PlatformFixture, 'anonymous'>,
  email: string,
  request: TestRequest & { readonly password?: string } = {},
): Promise<Browser> {
  const { password = testPassword, ...rest } = request
  const response = await fixture.anonymous('/v1/session/', {
    ...rest,
    method: 'POST',
    payload: { email, password },
  })
  if (response.statusCode !== 201) throw new Error(`The sign-in was answered ${response.statusCode}.`)
  return browserOf(fixture, response)
}

/** Creates a browser from the response that opened its session. */
export function browserOf(
  fixture: Pick<PlatformFixture, 'anonymous'>,
  response: LightMyRequestResponse,
): Browser {
  const session = response.json<Success<'createSession'>>()
  const cookie = cookieOf(response)
  return {
    session,
    cookie,
    call: (url, request = {}) =>
      fixture.anonymous(url, {
        ...request,
        headers: { cookie, 'x-csrf-token': session.csrf_token, ...request.headers },
      }),
  }
}

/** Converts the Set-Cookie headers of a response to the value of a Cookie header. */
export function cookieOf(response: LightMyRequestResponse): string {
  const header = response.headers['set-cookie']
  const all = Array.isArray(header) ? header : [header ?? '']
  return all.map((cookie) => cookie.split(';', 1)[0] ?? '').join('; ')
}

/** The status and the error code of a response. */
export function rejection(response: LightMyRequestResponse): readonly [number, string | undefined] {
  const code = response.body === '' ? undefined : response.json<{ error?: { code: string } }>().error?.code
  return [response.statusCode, code]
}
