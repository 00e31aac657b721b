import type { LightMyRequestResponse } from 'fastify'
import type { Role } from '../identity/role.ts'
import { insertMember } from '../records/organizations.ts'
import { setPassword } from '../records/users.ts'
import { createPasswords } from '../sessions/passwords.ts'
import type { Success } from '../platform-api/platform-call.ts'
import type { PlatformFixture, TestRequest } from './platform-fixture.ts'

/** Somebody who is signed in to the console, for tests. */
export interface Browser {
  readonly session: Success<'createSession'>
  /** The cookie as a request carries it. */
  readonly cookie: string
  /** Sends a request as the console does: with the cookie, and with the session's token. */
  call(url: string, request?: TestRequest): Promise<LightMyRequestResponse>
}

/** The password of everybody in tests. */
export const testPassword = 'a lantern on every pier'

/** The hash of {@link testPassword}, made once: it is slow on purpose. */
let testHash: Promise<string> | undefined

/** Makes a member with a password and gives the user's id. */
export async function member(
  { store, first }: Pick<PlatformFixture, 'store' | 'first'>,
  email: string,
  role: Role,
): Promise<string> {
  const user = { email, firstName: 'F', lastName: 'L' }
  const id = await insertMember(store.db, { organizationId: first.organizationId, role, user })
  await givePassword({ store }, id)
  return id
}

/** Gives a user the password of the tests. */
export async function givePassword({ store }: Pick<PlatformFixture, 'store'>, userId: string): Promise<void> {
  testHash ??= createPasswords().hash(testPassword)
  await setPassword(store.db, userId, { hash: await testHash, origin: 'user', mustChange: false })
}

/** Signs somebody in. */
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

/** The browser that got a session as an answer. */
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

/** The cookies that an answer sets, as a request carries them. */
export function cookieOf(response: LightMyRequestResponse): string {
  const header = response.headers['set-cookie']
  const all = Array.isArray(header) ? header : [header ?? '']
  return all.map((one) => one.split(';', 1)[0] ?? '').join('; ')
}

/** The code of an answer's error, with its status. */
export function rejection(response: LightMyRequestResponse): readonly [number, string | undefined] {
  const code = response.body === '' ? undefined : response.json<{ error?: { code: string } }>().error?.code
  return [response.statusCode, code]
}
