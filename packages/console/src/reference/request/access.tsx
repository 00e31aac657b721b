import type { components } from '@fairlead/platform-client'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo, useRef, useState } from 'preact/hooks'
import type { PagedRows } from '../../platform/all-pages.ts'
import { allNodes } from '../../platform/choices.ts'
import { bodyOf, callAs, platform } from '../../platform/client.ts'
import type { Session } from '../../platform/session.tsx'

type Node = components['schemas']['Node']

/** The credentials of the user's requests; they exist only as long as the page. */
interface Access {
  readonly apiKey: string
  readonly token: string
  /** The console session; undefined when no user is signed in, or it has not been loaded yet. */
  readonly session: Session | undefined
  /** Nodes of the signed-in user's organization. */
  readonly nodes: PagedRows<Node>
  setApiKey(key: string): void
  setToken(token: string): void
  /** Loads the console session on the first call. */
  findSession(): void
}

const context = createContext<Access | undefined>(undefined)

/** Provides credentials to all components below, in memory only. */
export function AccessProvider({ children }: { readonly children: ComponentChildren }) {
  const [apiKey, setApiKey] = useState('')
  const [token, setToken] = useState('')
  const [session, setSession] = useState<Session>()
  const [nodes, setNodes] = useState<PagedRows<Node>>({ rows: [], isTruncated: false })
  const isSessionRequested = useRef(false)
  const access = useMemo<Access>(() => {
    const find = async () => {
      const current = await bodyOf(platform.GET('/v1/session/'))
      callAs(current.csrf_token, () => setSession(undefined))
      setSession(current)
      if (!current.scopes.includes('nodes:read')) return
      setNodes(await allNodes())
    }
    return {
      apiKey,
      token,
      session,
      nodes,
      setApiKey,
      setToken,
      findSession: () => {
        if (isSessionRequested.current) return
        isSessionRequested.current = true
        // Without a session the user can still enter a credential.
        find().catch(() => {})
      },
    }
  }, [apiKey, token, session, nodes])
  return <context.Provider value={access}>{children}</context.Provider>
}

/** The credentials of this visit. */
export function useAccess(): Access {
  const access = useContext(context)
  if (!access) throw new Error('useAccess requires an AccessProvider')
  return access
}
