import type { Logger } from 'pino'
import { guardedImmediate } from '@fairlead/runtime'

/** Ids of the nodes and credentials that have changed. */
export interface ChangedCredentials {
  /** Any credential of these nodes may have changed or lost its access. */
  readonly nodeIds: readonly string[]
  readonly credentialIds: readonly string[]
}

/** Called with the changed ids, or with `everything` when any record may have changed. */
export type CredentialListener = (change: ChangedCredentials | 'everything') => void

// Looking up more ids than this takes longer than loading everything.
const maxIds = 1_000

/**
 * Creates the list of listeners for credential changes.
 *
 * @param log - logs the error of a listener that throws; the other listeners are still called
 */
export function credentialListeners(log: Logger | undefined): {
  /** Adds a listener and returns the function that removes it. */
  readonly add: (listener: CredentialListener) => () => void
  /** Handles a database notification: `node <id>`, `credential <id>`, or anything else for everything. */
  readonly notify: (payload?: string) => void
} {
  const listeners = new Set<{ readonly call: CredentialListener }>()
  let pending: Pending | undefined
  const notifyListeners = () => {
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
      // Wrapped, so that a function that is added twice is called twice and removed one at a time.
      const entry = { call: listener }
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    notify(payload = '') {
      // Deferred, because the embedded database sends notifications while it still runs the query that caused them. One
      // call covers all changes until then.
      if (pending === undefined) guardedImmediate(notifyListeners)
      pending ??= { node: new Set(), credential: new Set(), isReloadRequired: false }
      const at = payload.indexOf(' ')
      const kind = payload.slice(0, at)
      if (kind === 'node' || kind === 'credential') pending[kind].add(payload.slice(at + 1))
      else pending.isReloadRequired = true
    },
  }
}

interface Pending {
  readonly node: Set<string>
  readonly credential: Set<string>
  isReloadRequired: boolean
}

function changeOf(pending: Pending | undefined): ChangedCredentials | 'everything' {
  if (pending === undefined || pending.isReloadRequired) return 'everything'
  const { node, credential } = pending
  if (node.size + credential.size > maxIds) return 'everything'
  return { nodeIds: [...node], credentialIds: [...credential] }
}
