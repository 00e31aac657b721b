import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { CredentialKind, CredentialRecord, Grant } from '../grants/grant.ts'
import { CredentialTable } from './credential-table.ts'

/** What is known of how fresh the directory is. */
export interface FeedStates {
  /** When everything was last read, in milliseconds since 1970, and how long that took. */
  readonly loadedAt: number
  readonly loadMs: number
  /** Reads that failed, since the start. */
  readonly failures: number
}

/** Nodes and credentials that have changed, by id. */
export interface ChangedRecords {
  readonly nodeIds: readonly string[]
  readonly credentialIds: readonly string[]
}

/** A new state of everything, page by page: what is never added to it is gone at its end. */
export interface Reload {
  /** Each record is in force at once. */
  add(records: readonly CredentialRecord[]): void
  end(): Promise<void>
}

/** The credentials of all nodes, in memory: what the hot path asks instead of the database. */
export interface Directory {
  /**
   * Finds what a credential opens.
   *
   * @param kind - how it was sent
   * @param secret - the token, or `username:password`
   */
  find(kind: CredentialKind, secret: string): Grant | undefined
  /**
   * What a credential opens now, for connections that outlive a request; undefined when it is no longer in force.
   * Until something about it changes it is always the same object.
   */
  current(credentialId: string): Grant | undefined
  /** Puts a whole new state in force at once. */
  replace(records: readonly CredentialRecord[]): void
  /** Begins a whole new state, for one that is too long to be put in force at once. One at a time. */
  reload(): Reload
  /** Puts in force what is now known of some records: those that are named and not among the records are gone. */
  change(changed: ChangedRecords, records: readonly CredentialRecord[]): void
  /**
   * Hears of every change, once it is in force.
   *
   * @returns a function that ends the hearing
   */
  onReplaced(listener: () => void): () => void
  readonly size: number
  /** Another number whenever anything may have changed. */
  readonly version: number
}

// What a walk through the table may do in one turn of the event loop: well below a millisecond.
const sweepLength = 20_000

/**
 * Makes an empty directory.
 *
 * Secrets are looked up by SHA-256: the table holds no secret, and the time of a look-up says nothing about one.
 */
export function createDirectory(): Directory {
  const table = new CredentialTable()
  const listeners = new Set<() => void>()
  let version = 0
  const tell = () => {
    for (const listener of listeners) listener()
  }
  /** Puts all of them; true when one is new. */
  const put = (records: readonly CredentialRecord[]) => {
    version += 1
    let isNew = false
    for (const record of records) isNew = table.put(record) || isNew
    return isNew
  }
  return {
    find: (kind, secret) => {
      const grant = inForce(table.bySecret(hash('sha256', secret, 'binary')))
      return grant?.kind === kind ? grant : undefined
    },
    current: (credentialId) => inForce(table.byId(credentialId)),
    replace: (records) => {
      table.beginSweep()
      put(records)
      table.sweep(0, Infinity)
      tell()
    },
    reload: () => {
      table.beginSweep()
      let isChanged = false
      return {
        add: (records) => {
          isChanged = put(records) || isChanged
        },
        end: async () => {
          for (let from: number | undefined = 0; from !== undefined;) {
            version += 1
            const { next, removed } = table.sweep(from, sweepLength)
            isChanged ||= removed
            from = next
            if (next !== undefined) await nextTurn()
          }
          if (isChanged) tell()
        },
      }
    },
    change: (changed, records) => {
      const isLess = table.keepOnly(changed, records)
      const isNew = put(records)
      if (isLess || isNew) tell()
    },
    onReplaced: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    get size() {
      return table.size
    },
    get version() {
      return version
    },
  }
}

// What was read may be older than the end of a credential in it.
function inForce(grant: Grant | undefined): Grant | undefined {
  return grant?.expiresAt !== undefined && grant.expiresAt <= Date.now() ? undefined : grant
}
