import { recentSignInMs } from '../../records/sessions.ts'
import { findSignInUser } from '../../records/users.ts'
import { clearCookie, readCookie, setCookie } from '../../sessions/session-cookie.ts'
import { maxSignInSeconds } from '../../sessions/oidc.ts'
import { createResponse } from '../operation-response.ts'
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
    getSignInOptions: ({ requestOrigin }) =>
      Promise.resolve({
        password: true,
        oidc:
          oidc === undefined ? null : { name: oidc.name, url: `${requestOrigin.baseUrl}/v1/session/oidc/` },
      }),

    async beginOidcSignIn({ query, requestOrigin }) {
      if (oidc === undefined) throw new PlatformError('not_found')
      const maxAge = query.prompt === 'login' ? recentSignInMs / 1_000 : undefined
      const { url, state } = await oidc
        .begin(`${requestOrigin.baseUrl}${callbackPath}`, maxAge)
        .catch((error: unknown) => {
          log.warn({ error: loggableError(error) }, 'the identity provider does not respond')
          throw new PlatformError('unavailable', { cause: error })
        })
      // Lax: another site redirects the browser back, and the browser must send the cookie with that request.
      const options = { seconds: maxSignInSeconds, sameSite: 'Lax' } as const
      const cookie = setCookie(requestOrigin, 'sign_in', state, options)
      return createResponse(undefined, { headers: { location: url, 'set-cookie': cookie } })
    },

    async finishOidcSignIn({ origin, requestOrigin, links }) {
      if (oidc === undefined) throw new PlatformError('not_found')
      const state = readCookie(requestOrigin, 'sign_in')
      const returned = new URL(
        `${requestOrigin.baseUrl}${callbackPath}?${new URLSearchParams(links.parameters).toString()}`,
      )
      const signedIn =
        state === undefined
          ? undefined
          : await oidc.finish(returned, state).catch((error: unknown) => {
              log.warn({ error: loggableError(error) }, 'a sign-in through the identity provider failed')
              return undefined
            })
      const user = signedIn && (await findSignInUser(db, signedIn.email))
      const location = `${requestOrigin.baseUrl}/console/`
      const ended = clearCookie(requestOrigin, 'sign_in')
      if (user === undefined) {
        return createResponse(undefined, {
          headers: { location: `${location}#sign-in-failed`, 'set-cookie': ended },
        })
      }
      const details = { origin, requestOrigin, authenticationAge: signedIn?.authenticationAge }
      const session = await db.transaction().execute((transaction) => openSession(transaction, user, details))
      return createResponse(undefined, { headers: { location, 'set-cookie': [ended, session.cookie] } })
    },
  }
}
