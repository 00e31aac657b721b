import type { components } from '@fairlead/platform-client'
import { type ComponentChildren, createContext } from 'preact'
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { bodyOf, callAs, platform } from './client.ts'
import { asProblem, type Problem } from './problem.ts'

/** Who is signed in. */
export type Session = components['schemas']['Session']

/** What a caller may do. */
export type Scope = Session['scopes'][number]

/** Whether somebody is signed in, and how that changes. */
export type SessionState =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'failed'; readonly problem: Problem }
  | { readonly kind: 'signed-out'; readonly hasEnded: boolean }
  | { readonly kind: 'signed-in'; readonly session: Session }

interface SessionContext {
  readonly state: SessionState
  /** Takes over what a sign-in answered. */
  signIn(session: Session): void
  /** Forgets the session, which the service has ended. */
  signOut(): void
  /** Reads the session again, after its user or organization has changed. */
  reload(): void
}

const context = createContext<SessionContext | undefined>(undefined)

/** Finds out who is signed in and tells everything below. */
export function SessionProvider({ children }: { readonly children: ComponentChildren }) {
  const [state, setState] = useState<SessionState>({ kind: 'unknown' })
  const [round, setRound] = useState(0)
  const reload = useCallback(() => setRound((count) => count + 1), [])
  const take = useCallback((next: SessionState) => {
    const token = next.kind === 'signed-in' ? next.session.csrf_token : undefined
    callAs(token, () => take({ kind: 'signed-out', hasEnded: true }), reload)
    setState(next)
  }, [])
  useEffect(() => {
    bodyOf(platform.GET('/v1/session/')).then(
      (session) => take({ kind: 'signed-in', session }),
      (error: unknown) => {
        const problem = asProblem(error)
        take(problem.status === 401 ? { kind: 'signed-out', hasEnded: false } : { kind: 'failed', problem })
      },
    )
  }, [round])
  const value = useMemo<SessionContext>(
    () => ({
      state,
      signIn: (session) => take({ kind: 'signed-in', session }),
      signOut: () => take({ kind: 'signed-out', hasEnded: false }),
      reload,
    }),
    [state],
  )
  return <context.Provider value={value}>{children}</context.Provider>
}

/** The state of the session and what changes it. */
export function useSessionState(): SessionContext {
  const value = useContext(context)
  if (!value) throw new Error('there is no SessionProvider around this component')
  return value
}

/** Who is signed in; for what is shown only when somebody is. */
export function useSession(): Session {
  const { state } = useSessionState()
  if (state.kind !== 'signed-in') throw new Error('nobody is signed in')
  return state.session
}

/** Tells whether who is signed in may do something. */
export function useMay(scope: Scope): boolean {
  return useSession().scopes.includes(scope)
}
