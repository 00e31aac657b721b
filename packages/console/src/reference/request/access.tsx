import type { components } from '@fairlead/platform-client'
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo, useRef, useState } from 'preact/hooks'
import type { All } from '../../platform/all-pages.ts'
import { allNodes } from '../../platform/choices.ts'
import { bodyOf, callAs, platform } from '../../platform/client.ts'
import type { Session } from '../../platform/session.tsx'

type Node = components['schemas']['Node']

/** By what the reader's requests are let in; nothing of it outlives the page. */
interface Access {
  readonly apiKey: string
  readonly token: string
  /** Of who is signed in at the console; undefined when nobody is, or nobody asked yet. */
  readonly session: Session | undefined
  /** Nodes of the organization of who is signed in. */
  readonly nodes: All<Node>
  setApiKey(key: string): void
  setToken(token: string): void
  /** Finds out who is signed in, the first time that it is asked. */
  findSession(): void
}

const context = createContext<Access | undefined>(undefined)

/** Keeps credentials for everything below, in memory. */
export function AccessProvider({ children }: { readonly children: ComponentChildren }) {
  const [apiKey, setApiKey] = useState('')
  const [token, setToken] = useState('')
  const [session, setSession] = useState<Session>()
  const [nodes, setNodes] = useState<All<Node>>({ rows: [], isCut: false })
  const wasAsked = useRef(false)
  const access = useMemo<Access>(() => {
    const find = async () => {
      const found = await bodyOf(platform.GET('/v1/session/'))
      callAs(found.csrf_token, () => setSession(undefined))
      setSession(found)
      if (!found.scopes.includes('nodes:read')) return
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
        if (wasAsked.current) return
        wasAsked.current = true
        // Without a session there is a field for a credential all the same.
        find().catch(() => {})
      },
    }
  }, [apiKey, token, session, nodes])
  return <context.Provider value={access}>{children}</context.Provider>
}

/** The credentials of this visit. */
export function useAccess(): Access {
  const access = useContext(context)
  if (!access) throw new Error('there is no AccessProvider around this component')
  return access
}
