import { createHmac, randomBytes } from 'node:crypto'
import type { RequestOrigin } from '../platform-api/platform-call.ts'

/** A cookie that the gateway sets. */
export type CookieName = 'session' | 'sign_in'

const names: Readonly<Record<CookieName, string>> = {
  session: 'fairlead_session',
  sign_in: 'fairlead_sign_in',
}

/** Creates the value of a session cookie: 256 random bits. Only their hash is stored. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Derives the CSRF token that unsafe requests must carry in addition to the cookie. It is derived from the cookie
 * value, so that nothing else has to be stored, and does not reveal that value.
 */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('fairlead csrf').digest('base64url')
}

/** Reads a cookie that the gateway set. Over TLS, only the `__Host-` cookie counts, which no other host can set. */
export function readCookie(
  requestOrigin: Pick<RequestOrigin, 'cookies' | 'isSecure'>,
  name: CookieName,
): string | undefined {
  return requestOrigin.cookies[fullName(name, requestOrigin.isSecure)]
}

/**
 * Builds the Set-Cookie header for a value.
 *
 * @param seconds - lifetime of the cookie; without it, until the browser closes
 * @param sameSite - `Lax` for a cookie that must be sent when another site redirects the browser back
 */
export function setCookie(
  { isSecure }: Pick<RequestOrigin, 'isSecure'>,
  name: CookieName,
  value: string,
  { seconds, sameSite = 'Strict' }: { readonly seconds?: number; readonly sameSite?: 'Strict' | 'Lax' } = {},
): string {
  const parts = [`${fullName(name, isSecure)}=${value}`, 'Path=/', 'HttpOnly', `SameSite=${sameSite}`]
  if (seconds !== undefined) parts.push(`Max-Age=${seconds}`)
  if (isSecure) parts.push('Secure')
  return parts.join('; ')
}

/** Builds the Set-Cookie header that deletes a cookie. */
export function clearCookie(requestOrigin: Pick<RequestOrigin, 'isSecure'>, name: CookieName): string {
  return setCookie(requestOrigin, name, '', { seconds: 0 })
}

function fullName(name: CookieName, isSecure: boolean): string {
  return isSecure ? `__Host-${names[name]}` : names[name]
}
