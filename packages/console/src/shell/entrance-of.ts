import type { SessionState } from '../platform/session.tsx'

/** What a reader sees first: the pages, or what has to be done before. */
export type Entrance = 'waiting' | 'failed' | 'invitation' | 'sign-in' | 'new-password' | 'open'

const entrances = { unknown: 'waiting', failed: 'failed', 'signed-out': 'sign-in' } as const

/** Where invitations lead; their token stands behind `#`, which no server sees. */
export const invitationPath = '/console/invitation'

/**
 * Decides what stands between a reader and the pages.
 *
 * @param path - of the page, without a slash at its end
 * @param state - of the session
 */
export function entranceOf(path: string, state: SessionState): Entrance {
  // An invitation is for somebody who has no account yet, whoever else is signed in at this browser.
  if (path === invitationPath) return 'invitation'
  if (state.kind === 'signed-in') return state.session.must_change_password ? 'new-password' : 'open'
  return entrances[state.kind]
}
