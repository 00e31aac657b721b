import type { components } from '@fairlead/platform-client'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Problem } from './problem.ts'

/** The session of the signed-in user. */
export type Session = components['schemas']['Session']

/** A permission of the user. */
export type Scope = Session['scopes'][number]

/** Whether a user is signed in. */
export type SessionState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'signed-out'; readonly reason?: 'session-ended' | 'recent-sign-in' | undefined }
  | { readonly kind: 'signed-in'; readonly session: Session }

/** The state of the session and the functions that change it. */
export interface SessionContext {
  readonly state: SessionState
  /** Sets the session from a sign-in response. */
  signIn(session: Session): void
  /** Removes the session, which the gateway has ended. */
  signOut(): void
  /** Opens the sign-in page, for a change that requires a recent sign-in. The session stays valid until then. */
  signInAgain(): void
  /** Reloads the session, after its user or organization has changed. */
  reload(): void
}

export const sessionContext = createContext<SessionContext | undefined>(undefined)

/** The state of the session and the functions that change it. */
export function useSessionState(): SessionContext {
  const value = useContext(sessionContext)
  if (!value) throw new Error('useSessionState requires a SessionProvider')
  return value
}

/** The session; only for components that are shown when a user is signed in. */
export function useSession(): Session {
  const { state } = useSessionState()
  if (state.kind !== 'signed-in') throw new Error('useSession requires a signed-in user')
  return state.session
}

/** Returns whether the signed-in user has a scope. */
export function useMay(scope: Scope): boolean {
  return useSession().scopes.includes(scope)
}
