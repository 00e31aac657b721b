import type { components } from '@fairlead/platform-client'
import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { bodyOf, callAs, platform } from './client.ts'
import { asProblem, type Problem } from './problem.ts'

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

interface SessionContext {
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

const context = createContext<SessionContext | undefined>(undefined)

/** Loads the session and provides it to all components below. */
export function SessionProvider({ children }: { readonly children: ComponentChildren }) {
  const [state, setState] = useState<SessionState>({ kind: 'unknown' })
  const [round, setRound] = useState(0)
  const reload = useCallback(() => setRound((count) => count + 1), [])
  const changeState = useCallback((next: SessionState) => {
    const token = next.kind === 'signed-in' ? next.session.csrf_token : undefined
    callAs(token, () => changeState({ kind: 'signed-out', reason: 'session-ended' }), reload)
    setState(next)
  }, [])
  useEffect(() => {
    bodyOf(platform.GET('/v1/session/')).then(
      (session) => changeState({ kind: 'signed-in', session }),
      (error: unknown) => {
        const problem = asProblem(error)
        changeState(problem.status === 401 ? { kind: 'signed-out' } : { kind: 'failed', problem })
      },
    )
  }, [round])
  const value = useMemo<SessionContext>(
    () => ({
      state,
      signIn: (session) => changeState({ kind: 'signed-in', session }),
      signOut: () => changeState({ kind: 'signed-out' }),
      signInAgain: () => changeState({ kind: 'signed-out', reason: 'recent-sign-in' }),
      reload,
    }),
    [state],
  )
  return <context.Provider value={value}>{children}</context.Provider>
}

/** The state of the session and the functions that change it. */
export function useSessionState(): SessionContext {
  const value = useContext(context)
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
