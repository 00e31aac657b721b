import { PlatformError } from '../platform-api/platform-error.ts'
import { recentSignInMs } from '../records/sessions.ts'
import type { Identity } from './identity.ts'

/**
 * Asserts that the caller is a session whose user authenticated in the last minutes, for changes that hand over an
 * account or the organization. A stolen key, an old cookie or a single sign-on without a prompt is not enough for them.
 *
 * @param change - completes "API keys cannot …"
 * @throws {@link PlatformError} `permission_denied` for a key, `recent_sign_in_required` for an older session
 */
export function assertRecentSignIn({ kind, isRecentSignIn }: Identity, change: string): void {
  if (kind === 'key') {
    throw new PlatformError('permission_denied', {
      message: `API keys cannot ${change}. Sign in to the console to make this change.`,
    })
  }
  if (isRecentSignIn === true) return
  throw new PlatformError('recent_sign_in_required', {
    message: `Sign in again: this change requires a sign-in within the last ${recentSignInMs / 60_000} minutes.`,
  })
}
