import { findSignInUser } from '../../records/users.ts'
import { clearCookie, readCookie, setCookie } from '../../sessions/session-cookie.ts'
import { longestSignInSeconds } from '../../sessions/oidc.ts'
import { answer } from '../operation-response.ts'
import { loggableError } from '@fairlead/gateway-core/telemetry/loggable-error'
import type { OperationContext } from '../operation-context.ts'
import type { Handlers } from '../platform-call.ts'
import { PlatformError } from '../platform-error.ts'
import { openSession } from '../sign-in.ts'

const callbackPath = '/v1/session/oidc/callback/'

/** The operations of sign-in through an identity provider, and the list of available sign-in methods. */
export function oidcOperations({
  db,
  oidc,
  log,
}: Pick<OperationContext, 'db' | 'oidc' | 'log'>): Pick<
  Handlers,
  'getSignInOptions' | 'beginOidcSignIn' | 'finishOidcSignIn'
> {
  return {
    getSignInOptions: ({ via }) =>
      Promise.resolve({
        password: true,
        oidc: oidc === undefined ? null : { name: oidc.name, url: `${via.baseUrl}/v1/session/oidc/` },
      }),

    async beginOidcSignIn({ via }) {
      if (oidc === undefined) throw new PlatformError('not_found')
      const { url, state } = await oidc.begin(`${via.baseUrl}${callbackPath}`).catch((error: unknown) => {
        log.warn({ error: loggableError(error) }, 'the identity provider does not answer')
        throw new PlatformError('unavailable', { cause: error })
      })
      // Lax: another site redirects the browser back, and the browser must send the cookie with that request.
      const options = { seconds: longestSignInSeconds, sameSite: 'Lax' } as const
      const cookie = setCookie(via, 'sign_in', state, options)
      return answer(undefined, { headers: { location: url, 'set-cookie': cookie } })
    },

    async finishOidcSignIn({ origin, via, links }) {
      if (oidc === undefined) throw new PlatformError('not_found')
      const state = readCookie(via, 'sign_in')
      const returned = new URL(`${via.baseUrl}${callbackPath}?${new URLSearchParams(links.given).toString()}`)
      const email =
        state === undefined
          ? undefined
          : await oidc.finish(returned, state).catch((error: unknown) => {
              log.warn({ error: loggableError(error) }, 'a sign-in through the identity provider failed')
              return undefined
            })
      const user = email === undefined ? undefined : await findSignInUser(db, email)
      const location = `${via.baseUrl}/console/`
      const ended = clearCookie(via, 'sign_in')
      if (user === undefined) {
        return answer(undefined, {
          headers: { location: `${location}#sign-in-failed`, 'set-cookie': ended },
        })
      }
      const session = await db
        .transaction()
        .execute((transaction) => openSession(transaction, user, { origin, via }))
      return answer(undefined, { headers: { location, 'set-cookie': [ended, session.cookie] } })
    },
  }
}
