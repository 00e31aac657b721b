import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useMemo, useState } from 'preact/hooks'
import { bodyOf, callAs, platform } from './client.ts'
import { asProblem } from './problem.ts'
import { type SessionContext, sessionContext, type SessionState } from './session.tsx'

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
  return <sessionContext.Provider value={value}>{children}</sessionContext.Provider>
}
