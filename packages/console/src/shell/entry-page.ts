import type { SessionState } from '../platform/session.tsx'

/** The first view: the pages, or a step before them. */
export type EntryPage = 'waiting' | 'failed' | 'invitation' | 'sign-in' | 'new-password' | 'open'

const entryPages = { unknown: 'waiting', failed: 'failed', 'signed-out': 'sign-in' } as const

/** The path of invitation links; their token is in the fragment, which no server receives. */
export const invitationPath = '/console/invitation'

/**
 * Decides which step precedes the pages.
 *
 * @param path - of the page, without a trailing slash
 * @param state - of the session
 */
export function entryPageOf(path: string, state: SessionState): EntryPage {
  // An invitation is for a person without an account, even if another user is signed in in this browser.
  if (path === invitationPath) return 'invitation'
  if (state.kind === 'signed-in') return state.session.must_change_password ? 'new-password' : 'open'
  return entryPages[state.kind]
}
