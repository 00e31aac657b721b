import { createHmac, randomBytes } from 'node:crypto'
import type { Via } from '../platform-api/platform-call.ts'

/** A cookie that the service sets. */
export type CookieName = 'session' | 'sign_in'

const names: Readonly<Record<CookieName, string>> = {
  session: 'fairlead_session',
  sign_in: 'fairlead_sign_in',
}

/** Makes what a session's cookie carries: 256 random bits. Only their hash is stored. */
export function newSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * What requests that change something must carry beside the cookie. It follows from the cookie, so that nothing more has to
 * be stored, but does not give it away.
 */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('fairlead csrf').digest('base64url')
}

/** Reads a cookie that the service has set. Over TLS only the one that no other host can have set counts. */
export function readCookie(via: Pick<Via, 'cookies' | 'isSecure'>, name: CookieName): string | undefined {
  return via.cookies[fullName(name, via.isSecure)]
}

/**
 * The Set-Cookie header for a value.
 *
 * @param seconds - how long a browser keeps it; without it, until the browser ends
 * @param sameSite - `Lax` for one that has to come along when another site sends the browser back
 */
export function setCookie(
  { isSecure }: Pick<Via, 'isSecure'>,
  name: CookieName,
  value: string,
  { seconds, sameSite = 'Strict' }: { readonly seconds?: number; readonly sameSite?: 'Strict' | 'Lax' } = {},
): string {
  const parts = [`${fullName(name, isSecure)}=${value}`, 'Path=/', 'HttpOnly', `SameSite=${sameSite}`]
  if (seconds !== undefined) parts.push(`Max-Age=${seconds}`)
  if (isSecure) parts.push('Secure')
  return parts.join('; ')
}

/** The Set-Cookie header that takes a cookie back. */
export function clearCookie(via: Pick<Via, 'isSecure'>, name: CookieName): string {
  return setCookie(via, name, '', { seconds: 0 })
}

function fullName(name: CookieName, isSecure: boolean): string {
  return isSecure ? `__Host-${names[name]}` : names[name]
}
