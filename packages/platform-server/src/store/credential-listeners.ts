import type { Logger } from 'pino'
import { guardedImmediate } from '@fairlead/http1'

/** The nodes and the credentials of which something has changed. */
export interface ChangedCredentials {
  /** All credentials of these nodes may open something else, or nothing any more. */
  readonly nodeIds: readonly string[]
  readonly credentialIds: readonly string[]
}

/** Hears what has changed, or that it may be anything. */
export type CredentialListener = (change: ChangedCredentials | 'everything') => void

// To look up more than this one by one takes longer than to load everything.
const mostIds = 1_000

/**
 * Makes the list of those who hear of changes.
 *
 * @param log - hears of a listener that throws; the others are called all the same
 */
export function credentialListeners(log: Logger | undefined): {
  /** Adds a listener and returns the function that takes it off. */
  readonly add: (listener: CredentialListener) => () => void
  /** Takes a notification of the database: `node <id>`, `credential <id>`, or anything else for everything. */
  readonly notify: (payload?: string) => void
} {
  const listeners = new Set<{ readonly call: CredentialListener }>()
  let pending: Pending | undefined
  const tell = () => {
    const change = changeOf(pending)
    pending = undefined
    for (const { call } of listeners) {
      try {
        call(change)
      } catch (error) {
        log?.error({ err: error }, 'listener of credential changes failed')
      }
    }
  }
  return {
    add(listener) {
      // Wrapped, so that one function added twice is also called twice and removed one at a time.
      const entry = { call: listener }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    notify(payload = '') {
      // Later, because the embedded database notifies while it still works on the query that caused it; and once for
      // all changes until then.
      if (pending === undefined) guardedImmediate(tell)
      pending ??= { node: new Set(), credential: new Set(), isEverything: false }
      const at = payload.indexOf(' ')
      const kind = payload.slice(0, at)
      if (kind === 'node' || kind === 'credential') pending[kind].add(payload.slice(at + 1))
      else pending.isEverything = true
    },
  }
}

interface Pending {
  readonly node: Set<string>
  readonly credential: Set<string>
  isEverything: boolean
}

function changeOf(pending: Pending | undefined): ChangedCredentials | 'everything' {
  if (pending === undefined || pending.isEverything) return 'everything'
  const { node, credential } = pending
  if (node.size + credential.size > mostIds) return 'everything'
  return { nodeIds: [...node], credentialIds: [...credential] }
}
